/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_summary.h"
#include "loop_code.h"

#include "base/arena.h"
#include "base/vec.h"

static struct loop_summary summary_of_code(struct loop_code *code, struct arena *arena)
{
    return loop_summary_of(code->rows, (struct loop_rows){0, code->count - 1}, NULL, UINT64_C(1) << 7, arena);
}

/* What a loop reads and writes is told by where its addresses come from. */
Test(loop_summary, places_are_told_apart)
{
    static const struct {
        const char *hex;
        struct loop_access accesses[3]; /* rows 0: no more */
    } cases[] = {
        /* movsx (%rsi),%eax; imul (%rdi),%eax; add %eax,(%rdx); add $2,%rsi; add $4,%rdi; dec %ecx; jne */
        {"0fbf060faf070102" "4883c602" "4883c704" "ffc975f0",
         {{LOOP_PLACE_STEPS, true, false, 2, 2, 1, 1}, {LOOP_PLACE_STEPS, true, false, 4, 4, 1, 1}, {LOOP_PLACE_STAYS, true, true, 4, 0, 1, 1}}},
        /* movzbl (%rsi),%eax; mov (%rdi,%rax,4),%eax; mov %eax,8(%rsp); inc %rsi; dec %ecx; jne: a table, and the frame */
        {"0fb6068b048789442408" "48ffc6" "ffc975ef",
         {{LOOP_PLACE_STEPS, true, false, 1, 1, 1, 1}, {LOOP_PLACE_LOADED, true, false, 4, 0, 1, 1}}},
        /* mov (%rbx),%rbx; test %rbx,%rbx; jne: a list */
        {"488b1b4885db75f8", {{LOOP_PLACE_LOADED, true, false, 8, 0, 1, 1}}},
        /* mov (%rdi),%rax; mov %rax,8(%rdi); sub $16,%rdi; dec %ecx; jne */
        {"488b0748894708" "4883ef10" "ffc975f1",
         {{LOOP_PLACE_STEPS, true, false, 8, -16, 1, 1}, {LOOP_PLACE_STEPS, false, true, 8, -16, 1, 1}}},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].hex);
        struct loop_summary summary = summary_of_code(&code, &arena);
        size_t wanted = 0;
        while (wanted < array_count(cases[at].accesses) && cases[at].accesses[wanted].rows)
            wanted++;
        cr_expect_eq(summary.instructions, code.count, "%zu: %u", at, summary.instructions);
        cr_expect_eq(summary.access_count, wanted, "%zu: %zu accesses", at, summary.access_count);
        for (size_t want = 0; want < wanted; want++) {
            const struct loop_access *access = &cases[at].accesses[want];
            bool found = false;
            for (size_t got = 0; got < summary.access_count; got++)
                found |= summary.accesses[got].place == access->place && summary.accesses[got].is_load == access->is_load &&
                         summary.accesses[got].is_store == access->is_store && summary.accesses[got].size_bytes == access->size_bytes &&
                         summary.accesses[got].step == access->step && summary.accesses[got].places == access->places;
            cr_expect(found, "%zu: access %zu", at, want);
        }
    }
    arena_done(&arena);
}

/* What it computes is counted by kind; what counts turns, moves and clears isn't work. */
Test(loop_summary, work_is_counted_by_kind)
{
    static const struct {
        const char *hex;
        enum loop_work work;
        uint32_t count;
        uint8_t element_bits;
    } cases[] = {
        {"0fbf060faf0701024883c6024883c704ffc975f0", LOOP_WORK_PRODUCTS, 1, 0},
        {"0fbf060faf0701024883c6024883c704ffc975f0", LOOP_WORK_SUMS, 1, 0},
        /* movdqu (%rdi),%xmm0; paddw (%rsi),%xmm0; pmullw %xmm2,%xmm0; movdqu %xmm0,(%rdi); add $16,%rdi; dec %ecx; jne */
        {"f30f6f07660ffd06660fd5c2f30f7f074883c710ffc975e8", LOOP_WORK_VECTOR_PRODUCTS, 1, 16},
        {"f30f6f07660ffd06660fd5c2f30f7f074883c710ffc975e8", LOOP_WORK_VECTOR_SUMS, 1, 16},
        /* mulsd (%rdi),%xmm0; addsd %xmm0,%xmm1; add $8,%rdi; dec %ecx; jne */
        {"f20f5907f20f58c84883c708ffc975f0", LOOP_WORK_FP_PRODUCTS, 1, 0},
        /* xor %eax,%eax; mov %rax,(%rdi); add $8,%rdi; dec %ecx; jne */
        {"31c04889074883c708ffc975f3", LOOP_WORK_BITS, 0, 0},
        {"31c04889074883c708ffc975f3", LOOP_WORK_SUMS, 0, 0},
        /* add %rbx,%rax; rol $13,%rbx; xor %rax,%rbx; shl $3,%rax; dec %esi; jne */
        {"4801d848c1c30d4831c348c1e003ffce75ef", LOOP_WORK_ROTATIONS, 1, 0},
        {"4801d848c1c30d4831c348c1e003ffce75ef", LOOP_WORK_SHIFTS, 1, 0},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].hex);
        struct loop_summary summary = summary_of_code(&code, &arena);
        cr_expect_eq(summary.work[cases[at].work], cases[at].count, "%zu: %u", at, summary.work[cases[at].work]);
        cr_expect_eq(summary.element_bits[cases[at].work], cases[at].element_bits, "%zu: %u", at, summary.element_bits[cases[at].work]);
    }
    arena_done(&arena);
}

/* A branch on what was loaded says how it goes on; one on a counter says nothing. */
Test(loop_summary, what_was_loaded_decides)
{
    static const struct {
        const char *hex;
        enum loop_decision decision;
    } cases[] = {
        /* mov (%rsi,%rax,8),%rcx; cmp %rcx,(%rdi,%rax,8); jne out; inc %rax; cmp %rdx,%rax; jb back */
        {"488b0cc648390cc7750a48ffc04839d072ee", LOOP_GOES_ON_WHILE_EQUAL},
        /* inc %rsi; cmpb $10,(%rsi); jne back */
        {"48ffc6803e0a75f8", LOOP_GOES_ON_UNTIL_EQUAL},
        /* mov (%rsi),%eax; add $4,%rsi; cmp %edx,%eax; jb back */
        {"8b064883c60439d072f6", LOOP_ENDS_BY_ORDER},
        /* mov (%rdi),%rax; add %rax,%rdx; add $8,%rdi; dec %ecx; jne back */
        {"488b074801c24883c708ffc975f2", LOOP_DECIDES_NOTHING},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].hex);
        cr_expect_eq(summary_of_code(&code, &arena).decision, cases[at].decision, "%zu: %d", at, summary_of_code(&code, &arena).decision);
    }
    arena_done(&arena);
}
