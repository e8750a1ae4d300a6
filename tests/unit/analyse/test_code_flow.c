/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/code/code_flow.h"

#include <criterion/criterion.h>

/* One letter for each 4-byte instruction: '.' goes on, 'B' branches to its target or goes on, 'J' jumps, 'R' returns,
 * 'I' jumps indirectly, 'N' is padding. */
static size_t build(const char *code, const uint8_t *targets, struct instruction *rows)
{
    size_t count = strlen(code), branch = 0;
    for (size_t at = 0; at < count; at++) {
        struct instruction *row = &rows[at];
        *row = (struct instruction){.addr = 0x1000 + at * 4, .length = 4, .class = INSTRUCTION_INT, .falls_through = true};
        if (code[at] == 'B' || code[at] == 'J') {
            row->class = code[at] == 'B' ? INSTRUCTION_BRANCH : INSTRUCTION_JUMP;
            row->has_target = true;
            row->target = 0x1000 + (uint64_t)targets[branch++] * 4;
        }
        if (code[at] == 'R')
            row->class = INSTRUCTION_RETURN;
        if (code[at] == 'I')
            row->class = INSTRUCTION_JUMP;
        if (code[at] == 'N')
            row->class = INSTRUCTION_NOP;
        row->ends_block = strchr("BJRI", code[at]) != NULL;
        row->falls_through = !strchr("JRI", code[at]);
    }
    return count;
}

struct expected_loop {
    uint32_t head, first, last, depth, rows;
};

struct flow_case {
    const char *what, *code;
    uint8_t targets[8];
    size_t loop_count;
    struct expected_loop loops[4];
    bool indirect;
};

static const struct flow_case cases[] = {
    {"straight", "....R", {0}, 0, {{0}}, false},
    {"one loop", "...B.R", {1}, 1, {{1, 1, 3, 1, 3}}, false},
    {"a loop on itself", ".BR", {1}, 1, {{1, 1, 1, 1, 1}}, false},
    {"nested", "...BBR", {2, 1}, 2, {{1, 1, 4, 1, 4}, {2, 2, 3, 2, 2}}, false},
    {"while: the condition at the bottom", "J..BR", {3, 1}, 1, {{3, 1, 3, 1, 3}}, false},
    {"two back edges to one head", "..B.B.R", {1, 1}, 1, {{1, 1, 4, 1, 4}}, false},
    {"part of the body behind the return", "..B.BRN.J", {7, 1, 3}, 1, {{1, 1, 8, 1, 6}}, false},
    {"padding leads nowhere", "..BRN.B", {5, 5}, 1, {{5, 5, 6, 1, 2}}, false},
    {"a branch out of the function is none", "..B.R", {99}, 0, {{0}}, false},
    {"a loop that only a jump table reaches", ".I..BR", {2}, 1, {{2, 2, 4, 1, 3}}, true},
};

Test(code_flow, natural_loops)
{
    for (size_t at = 0; at < array_count(cases); at++) {
        struct instruction rows[32];
        struct arena arena;
        arena_init(&arena);
        size_t count = build(cases[at].code, cases[at].targets, rows);
        struct code_flow flow = code_flow_of(rows, count, &arena);
        cr_assert_eq(flow.loop_count, cases[at].loop_count, "%s: %zu loops", cases[at].what, flow.loop_count);
        cr_assert_eq(flow.has_indirect_jumps, cases[at].indirect, "%s", cases[at].what);
        for (size_t loop = 0; loop < flow.loop_count; loop++) {
            const struct expected_loop *expected = &cases[at].loops[loop];
            const struct flow_loop *found = &flow.loops[loop];
            cr_assert_eq(found->head, expected->head, "%s: head %u", cases[at].what, found->head);
            cr_assert_eq(found->first, expected->first, "%s: first %u", cases[at].what, found->first);
            cr_assert_eq(found->last, expected->last, "%s: last %u", cases[at].what, found->last);
            cr_assert_eq(found->depth, expected->depth, "%s: depth %u", cases[at].what, found->depth);
            cr_assert_eq(found->row_count, expected->rows, "%s: %u rows", cases[at].what, found->row_count);
        }
        arena_done(&arena);
    }
}

Test(code_flow, branches_are_found_by_their_target)
{
    struct instruction rows[32];
    struct arena arena;
    arena_init(&arena);
    size_t count = build("..B.B.R", (const uint8_t[]){1, 1}, rows);
    struct code_flow flow = code_flow_of(rows, count, &arena);
    cr_assert_eq(flow.branch_first[2] - flow.branch_first[1], 2);
    cr_assert_eq(flow.branches[flow.branch_first[1]], 2);
    cr_assert_eq(flow.branches[flow.branch_first[1] + 1], 4);
    cr_assert_eq(code_flow_row(rows, count, 0x1008), 2);
    cr_assert_eq(code_flow_row(rows, count, 0x1009), FLOW_NONE);
    arena_done(&arena);
}

Test(code_flow, any_code_is_survived)
{
    enum { COUNT = 400 };
    struct instruction rows[COUNT];
    uint32_t state = 7;
    for (int turn = 0; turn < 200; turn++) {
        struct arena arena;
        arena_init(&arena);
        for (size_t at = 0; at < COUNT; at++) {
            state = state * 1664525u + 1013904223u;
            char letter = ".....BBJRN"[state >> 16 & 7 ? state >> 20 % 10 & 7 : 9];
            uint8_t target = (uint8_t)(state >> 24);
            char code[2] = {letter, 0};
            build(code, &target, &rows[at]);
            rows[at].addr = 0x1000 + at * 4;
        }
        struct code_flow flow = code_flow_of(rows, COUNT, &arena);
        for (size_t loop = 0; loop < flow.loop_count; loop++) {
            cr_assert(flow.loops[loop].parent == FLOW_NONE || flow.loops[loop].parent < loop);
            cr_assert(flow.loops[loop].head >= flow.loops[loop].first && flow.loops[loop].head <= flow.loops[loop].last);
        }
        arena_done(&arena);
    }
    struct arena arena;
    arena_init(&arena);
    cr_assert_eq(code_flow_of(rows, 0, &arena).loop_count, 0);
    arena_done(&arena);
}
