/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"
#include "test.h"

#include "analyse/code/loop_chain.h"
#include "base/vec.h"

#include <string.h>

enum { A, B, C, FLAG };
#define BIT(register) (1u << (register))

/* A loop of five: row 0 is given, then counting, comparing and jumping back. */
static size_t build(struct instruction *rows, struct instruction first, struct instruction second)
{
    const struct instruction all[] = {
        first,
        second,
        {.class = INSTRUCTION_INT, .reads = BIT(C), .writes = BIT(C) | BIT(FLAG)},
        {.class = INSTRUCTION_INT, .reads = BIT(C), .writes = BIT(FLAG)},
        {.class = INSTRUCTION_BRANCH, .reads = BIT(FLAG), .has_target = true, .target = 0x1000},
        {.class = INSTRUCTION_RETURN},
    };
    memcpy(rows, all, sizeof(all));
    for (size_t at = 0; at < array_count(all); at++) {
        rows[at].addr = 0x1000 + 4 * at;
        rows[at].length = 4;
        rows[at].falls_through = rows[at].class != INSTRUCTION_RETURN;
    }
    return array_count(all);
}

static struct loop_chain chain_of(struct instruction first, struct instruction second, bool *ret_longest)
{
    struct instruction rows[6];
    struct loop_rows loop;
    size_t count = build(rows, first, second);
    cr_assert(code_loop_around(rows, count, 0, &loop));
    cr_assert(loop.first == 0 && loop.last == 4);
    struct loop_chain chain = loop_chain_at(rows, loop, 0);
    *ret_longest = loop_chain_is_longest(&chain, loop);
    return chain;
}

/* All at once as one by one, on code of random jumps; and in a function as large as any that is kept. */
Test(loop_chain, loops_of_all_rows_are_found_at_once, .timeout = 30)
{
    enum { ROWS = 260000 };
    struct instruction *rows = calloc(ROWS, sizeof(*rows));
    struct loop_rows *loops = calloc(ROWS, sizeof(*loops));
    uint64_t random = 88172645463325252u;
    for (size_t at = 0; at < ROWS; at++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        bool jumps = random % 5 == 0;
        rows[at] = (struct instruction){.addr = 0x1000 + 4 * at, .length = 4, .has_target = jumps, .falls_through = true,
                                        .class = jumps ? random % 3 ? INSTRUCTION_BRANCH : INSTRUCTION_CALL : INSTRUCTION_INT};
        rows[at].target = rows[at].addr + 4 * (int64_t)(random >> 20 & 0xfff) - 0x3f80;
    }
    code_loops_find(rows, ROWS, loops);
    for (uint32_t at = 0; at < ROWS; at += 97) {
        struct loop_rows one;
        bool found = code_loop_around(rows, ROWS, at, &one);
        cr_assert_eq(found, loops[at].first != UINT32_MAX, "row %u", at);
        cr_assert(!found || rows[one.last].addr - rows[one.first].addr == rows[loops[at].last].addr - rows[loops[at].first].addr,
                  "row %u: %u to %u and %u to %u", at, one.first, one.last, loops[at].first, loops[at].last);
    }
    free(rows);
    free(loops);
}

/* Two ways that end alike, the end kept once: the second jumps back to it, and nothing comes round. Then with a loop around it all. */
Test(loop_chain, jumps_back_to_an_end_that_ways_share_close_no_loop)
{
    struct instruction rows[] = {
        {.class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1010, .falls_through = true},
        {.class = INSTRUCTION_FP, .falls_through = true},
        {.class = INSTRUCTION_FP, .falls_through = true}, /* the end of both */
        {.class = INSTRUCTION_RETURN},
        {.class = INSTRUCTION_FP, .falls_through = true},
        {.class = INSTRUCTION_JUMP, .has_target = true, .target = 0x1008},
    };
    struct loop_rows loops[array_count(rows)], loop;
    for (size_t at = 0; at < array_count(rows); at++) {
        rows[at].addr = 0x1000 + 4 * at;
        rows[at].length = 4;
    }
    code_loops_find(rows, array_count(rows), loops);
    for (size_t at = 0; at < array_count(rows); at++)
        cr_assert_eq(loops[at].first, UINT32_MAX, "row %zu", at);
    cr_assert_not(code_loop_around(rows, array_count(rows), 2, &loop));
    rows[3] = (struct instruction){.addr = 0x100c, .length = 4, .class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000, .falls_through = true};
    code_loops_find(rows, array_count(rows), loops);
    cr_assert(loops[2].first == 0 && loops[2].last == 3, "the loop around it is one");
    rows[3] = (struct instruction){.addr = 0x100c, .length = 4, .class = INSTRUCTION_JUMP};
    code_loops_find(rows, array_count(rows), loops);
    cr_assert(loops[2].first == 2 && loops[2].last == 5, "where a jump's targets aren't known it may be one");
}

/* How far the address in row 0 moves in a turn in which row 1 does something to its registers. */
static bool step_of(struct memory_operand memory, struct instruction second, int64_t *ret_step)
{
    struct instruction rows[6];
    memory.is_present = true;
    size_t count = build(rows, (struct instruction){.class = INSTRUCTION_LOAD, .is_load = true, .memory = memory}, second);
    rows[2].step_register = C;
    rows[2].step = -4;
    rows[2].step_by = REGISTER_NONE;
    struct loop_rows loop;
    cr_assert(code_loop_around(rows, count, 0, &loop));
    return code_loop_step(rows, loop, 0, ret_step);
}

Test(loop_chain, knows_how_far_an_address_moves_in_a_turn)
{
    int64_t step = 0;
    const struct instruction add = {.class = INSTRUCTION_INT, .writes = BIT(A), .step_register = A, .step = 1, .step_by = REGISTER_NONE};
    const struct instruction by_b = {.class = INSTRUCTION_INT, .writes = BIT(A), .step_register = A, .step_by = B};
    const struct instruction load = {.class = INSTRUCTION_LOAD, .writes = BIT(A), .step_register = REGISTER_NONE, .step_by = REGISTER_NONE};
    const struct instruction count_too = {.class = INSTRUCTION_INT, .writes = BIT(C), .step_register = C, .step = -4, .step_by = REGISTER_NONE};
    cr_assert(step_of((struct memory_operand){.base = A, .index = REGISTER_NONE}, add, &step) && step == 1);
    cr_assert(step_of((struct memory_operand){.base = B, .index = A, .scale = 8}, add, &step) && step == 8);
    cr_assert(step_of((struct memory_operand){.base = C, .index = REGISTER_NONE}, add, &step) && step == -4);
    cr_assert(step_of((struct memory_operand){.base = C, .index = REGISTER_NONE}, count_too, &step) && step == -8,
              "two paths that each move it count as one");
    cr_assert_not(step_of((struct memory_operand){.base = A, .index = C, .scale = 1}, add, &step), "they go apart");
    cr_assert_not(step_of((struct memory_operand){.base = A, .index = REGISTER_NONE}, by_b, &step), "by whatever B holds");
    cr_assert_not(step_of((struct memory_operand){.base = A, .index = REGISTER_NONE}, load, &step), "it is loaded");
    cr_assert_not(step_of((struct memory_operand){.base = B, .index = REGISTER_NONE}, add, &step), "it stays");
}

Test(loop_chain, tells_chains_from_work_that_overlaps)
{
    bool longest;
    const struct instruction multiply = {.class = INSTRUCTION_MUL, .reads = BIT(A), .writes = BIT(A)};
    const struct instruction other = {.class = INSTRUCTION_MUL, .reads = BIT(B), .writes = BIT(B)};
    const struct instruction zero = {.class = INSTRUCTION_INT, .writes = BIT(A)};
    struct loop_chain chain = chain_of(multiply, multiply, &longest);
    cr_assert(chain.carried && chain.steps == 2 && chain.beside == 0 && longest && !chain.through_address);
    chain = chain_of(multiply, zero, &longest);
    cr_assert(!chain.carried && !longest, "what is overwritten is no chain");
    chain = chain_of(multiply, other, &longest);
    cr_assert(chain.carried && chain.steps == 1 && chain.beside == 1);
    const struct instruction add = {.class = INSTRUCTION_INT, .reads = BIT(A), .writes = BIT(A)};
    chain = chain_of(add, zero, &longest);
    cr_assert(!longest);
    const struct instruction hanging = {.class = INSTRUCTION_FP, .reads = BIT(A), .vector_writes = 1, .vector_reads = 1};
    chain = chain_of(add, hanging, &longest);
    cr_assert(chain.carried && chain.steps == 0 && chain.beside == 1 && !longest, "what only hangs on it is no step");
    chain = chain_of(add, (struct instruction){.class = INSTRUCTION_NOP}, &longest);
    cr_assert(chain.carried && !longest, "one addition a turn is no long chain");
}

Test(loop_chain, a_load_from_its_own_result)
{
    bool longest;
    struct instruction load = {.class = INSTRUCTION_LOAD, .is_load = true, .reads = BIT(A), .writes = BIT(A),
                               .memory = {.is_present = true, .base = A, .index = REGISTER_NONE}};
    const struct instruction nothing = {.class = INSTRUCTION_NOP};
    cr_assert(chain_of(load, nothing, &longest).through_address);
    load.memory.base = B;
    load.reads = BIT(B);
    cr_assert(!chain_of(load, nothing, &longest).through_address);
    /* By way of another register: b = [a]; a = b + 1. */
    load.memory.base = A;
    load.reads = BIT(A);
    load.writes = BIT(B);
    cr_assert(chain_of(load, (struct instruction){.class = INSTRUCTION_INT, .reads = BIT(B), .writes = BIT(A)}, &longest)
                  .through_address);
}

Test(loop_chain, no_loop_around_straight_code)
{
    struct instruction rows[6];
    struct loop_rows loop;
    size_t count = build(rows, (struct instruction){.class = INSTRUCTION_INT}, (struct instruction){.class = INSTRUCTION_INT});
    cr_assert_not(code_loop_around(rows, count, 5, &loop));
}

/* A node's value is read before its link is followed: the value's load gets the wait, the chain is behind it. */
Test(loop_chain, a_load_through_the_pointer_of_a_chase_follows_it)
{
    struct instruction rows[6];
    struct loop_rows loop;
    const struct instruction value = {.class = INSTRUCTION_LOAD_OP, .is_load = true, .reads = BIT(A) | BIT(B),
                                      .writes = BIT(B), .memory = {.base = A, .index = REGISTER_NONE, .is_present = true}};
    const struct instruction link = {.class = INSTRUCTION_LOAD, .is_load = true, .reads = BIT(A), .writes = BIT(A),
                                     .memory = {.base = A, .index = REGISTER_NONE, .is_present = true}};
    size_t count = build(rows, value, link);
    cr_assert(code_loop_around(rows, count, 0, &loop));
    cr_assert(loop_load_follows(rows, loop, 1, 0));
    cr_assert_not(loop_load_follows(rows, loop, 1, 1), "it is the chase");
    /* An index that is looked up, in a table whose place stays: another load from that table doesn't follow. */
    struct instruction index = link;
    index.memory = (struct memory_operand){.base = B, .index = A, .is_present = true};
    struct instruction other = value;
    other.memory.base = B;
    other.writes = BIT(FLAG);
    count = build(rows, other, index);
    cr_assert(code_loop_around(rows, count, 0, &loop));
    cr_assert_not(loop_load_follows(rows, loop, 1, 0));
}

/* A load over its own address register; between it and its next time that is loaded anew, or what was loaded comes back. */
static bool value_returns(uint8_t stored_at, uint8_t loaded_from)
{
    enum { STACK = 7 };
    struct memory_operand place = {.is_present = true, .base = A, .index = REGISTER_NONE, .size_bytes = 8};
    struct memory_operand variable = {.is_present = true, .base = STACK, .index = REGISTER_NONE, .displacement = stored_at, .size_bytes = 8};
    struct memory_operand other = variable;
    other.displacement = loaded_from;
    const struct instruction rows[] = {
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = place, .reads = BIT(A), .writes = BIT(A)},
        {.class = INSTRUCTION_STORE, .is_store = true, .memory = variable, .reads = BIT(A) | BIT(STACK)},
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = other, .reads = BIT(STACK), .writes = BIT(A)},
        {.class = INSTRUCTION_BRANCH},
    };
    return loop_value_returns(rows, (struct loop_rows){0, 3}, 0);
}

Test(loop_chain, what_a_load_puts_over_its_address_is_the_next_one_only_if_it_comes_back)
{
    cr_assert(value_returns(8, 8), "unoptimised p = p->next");
    cr_assert_not(value_returns(8, 16), "unoptimised sum += a[i]: the address is computed anew");
}

/* The index comes from a function in each turn: what was loaded into the same register before is gone. */
Test(loop_chain, a_call_leaves_nothing_of_what_its_return_register_held)
{
    struct memory_operand place = {.is_present = true, .base = A, .index = REGISTER_NONE, .size_bytes = 8};
    const struct instruction rows[] = {
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = place, .reads = BIT(A), .writes = BIT(A)},
        {.class = INSTRUCTION_CALL},
        {.class = INSTRUCTION_INT, .reads = BIT(A), .writes = BIT(A)},
        {.class = INSTRUCTION_BRANCH},
    };
    struct loop_rows loop = {0, 3};
    cr_assert_not(loop_value_returns(rows, loop, 0));
    cr_assert_not(loop_chain_at(rows, loop, 0).carried);
}

/* k = next[k]: behind the load its register says where it goes next, unless something else writes it before. */
Test(loop_chain, an_index_leads_on_where_nothing_else_writes_it)
{
    struct memory_operand place = {.is_present = true, .base = B, .index = A, .scale = 4, .size_bytes = 4};
    struct instruction rows[] = {
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = place, .reads = BIT(A) | BIT(B), .writes = BIT(A)},
        {.class = INSTRUCTION_INT, .reads = BIT(C), .writes = BIT(C)},
        {.class = INSTRUCTION_BRANCH},
    };
    struct loop_rows loop = {0, 2};
    cr_assert(loop_load_leads_on(rows, loop, 0));
    rows[1].writes = BIT(A);
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "what it loaded is masked before it is the index");
    rows[1].writes = BIT(B);
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "the table moves on");
    rows[0].operation_bits = 32;
    rows[1] = (struct instruction){.class = INSTRUCTION_MOVE, .mnemonic = "mov", .operation_bits = 32, .is_sum = true, .sum_from = A, .writes = BIT(A)};
    cr_assert(loop_load_leads_on(rows, loop, 0), "of 32 bits, widened");
    rows[1].mnemonic = "movsxd";
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "negative ones become others");
    rows[1].mnemonic = "mov";
    rows[0].operation_bits = 64;
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "half of what it loaded");
    rows[1] = (struct instruction){.class = INSTRUCTION_CALL};
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "a call may write any");
    rows[1] = (struct instruction){.class = INSTRUCTION_INT};
    rows[0].writes = BIT(C);
    cr_assert_not(loop_load_leads_on(rows, loop, 0), "its address stays");
}

/* i = node[i].next, and node[i].key is read at a place computed from the same i: it waits for the load of the turn before. */
Test(loop_chain, a_load_at_a_place_computed_from_a_chased_index_follows_it)
{
    struct memory_operand key = {.is_present = true, .base = C, .index = B, .scale = 8, .size_bytes = 8},
                          next = {.is_present = true, .base = A, .index = REGISTER_NONE, .size_bytes = 4};
    struct instruction rows[] = {
        {.class = INSTRUCTION_INT, .reads = BIT(A), .writes = BIT(B)}, /* lea (%a,%a,2),%b */
        {.class = INSTRUCTION_LOAD_OP, .is_load = true, .memory = key, .reads = BIT(B) | BIT(C)},
        {.class = INSTRUCTION_INT, .reads = BIT(B) | BIT(C), .writes = BIT(A)}, /* lea (%c,%b,8),%a */
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = next, .reads = BIT(A), .writes = BIT(A)},
        {.class = INSTRUCTION_BRANCH},
    };
    struct loop_rows loop = {0, 4};
    cr_assert(loop_load_follows(rows, loop, 3, 1));
    cr_assert_not(loop_load_follows(rows, loop, 3, 3), "it is the chase");
    rows[0] = (struct instruction){.class = INSTRUCTION_INT, .reads = BIT(B), .writes = BIT(B)};
    cr_assert_not(loop_load_follows(rows, loop, 3, 1), "counted, not taken from what was loaded");
    rows[0] = (struct instruction){.class = INSTRUCTION_LOAD, .is_load = true, .memory = next, .reads = BIT(A), .writes = BIT(B)};
    cr_assert_not(loop_load_follows(rows, loop, 3, 1), "another load stands between, which follows by itself");
}

/* h = (h * 256 + c) % m: the remainder comes back to the division; then a quotient that nothing but a sum takes. */
Test(loop_chain, what_needs_a_division_is_told_from_what_stands_beside)
{
    struct instruction rows[] = {
        {.class = INSTRUCTION_INT, .reads = BIT(A), .writes = BIT(B)},
        {.class = INSTRUCTION_DIV, .divides = true, .reads = BIT(B), .writes = BIT(A)},
        {.class = INSTRUCTION_INT, .reads = BIT(C), .writes = BIT(C)},
        {.class = INSTRUCTION_BRANCH},
    };
    struct loop_rows loop = {0, 3};
    cr_assert(loop_chain_at(rows, loop, 1).carried);
    cr_assert(loop_needs_result(rows, loop, 1, 0) && loop_result_returns(rows, loop, 1, 0));
    cr_assert_not(loop_needs_result(rows, loop, 1, 2), "a counter beside");
    rows[0] = (struct instruction){.class = INSTRUCTION_INT, .reads = BIT(C), .writes = BIT(B)};
    rows[2] = (struct instruction){.class = INSTRUCTION_FP, .reads = BIT(A) | BIT(C), .writes = BIT(C)};
    cr_assert(loop_needs_result(rows, loop, 1, 2), "a sum of quotients waits for each");
    rows[0].reads = 0;
    cr_assert_not(loop_chain_at(rows, loop, 1).carried, "… of which none needs the one before");
    cr_assert_not(loop_result_returns(rows, loop, 1, 2));
}

/*
 * The address register is kept aside ("mov %r14,0x80(%rsp)"), used for what was loaded, and fetched again in code that
 * lies behind the loop's last row; then taken from what was loaded there, instead.
 */
Test(loop_chain, a_register_kept_aside_and_fetched_again_is_no_chain)
{
    const char *fetched = "410fb64608504c89b424800000004883c4084c8d3401410fb6164983c60185d275f4eb0a4883c7044839f772d3c3"
                          "4c8b742478ebef",
               *chased = "410fb64608504c89b424800000004883c4084c8d3401410fb6164983c60185d275f4eb0a4883c7044839f772d3c3"
                         "4d8b36ebf1";
    struct loop_code code;
    struct loop_rows loop;
    loop_code_decode(&code, fetched);
    cr_assert(code_loop_around(code.rows, code.count, 0, &loop) && loop.first == 0 && loop.last == 12);
    cr_assert(loop_chain_at(code.rows, loop, 0).through_address, "in the order of rows it looks written");
    cr_assert_not(loop_address_returns(code.rows, code.count, loop, 0));
    loop_code_decode(&code, chased);
    cr_assert(loop_address_returns(code.rows, code.count, loop, 0), "it points to where the next turn begins");
}

/* "push %rax" moves the stack pointer, whatever it pushes. */
Test(loop_chain, what_is_pushed_says_nothing_of_where)
{
    struct loop_code code;
    loop_code_decode(&code, "488b442408504883c408ffc975f2c3");
    cr_assert_not(loop_chain_at(code.rows, (struct loop_rows){0, 4}, 0).through_address);
}
