/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/code/address_span.h"
#include "base/vec.h"

/* All of the code is the loop. */
static struct loop_rows whole(const struct loop_code *code)
{
    return (struct loop_rows){0, code->count - 1};
}

Test(address_span, what_the_code_makes_of_an_index_bounds_how_far_it_goes)
{
    static const struct {
        const char *code, *what;
        uint32_t row;
        uint64_t bytes;
    } cases[] = {
        {"83e03f0fb60407ebf7", "and $63,%eax; movzbl (%rdi,%rax),%eax", 1, 64},
        {"0fb6060fb71c47ebf7", "movzbl (%rsi),%eax; movzwl (%rdi,%rax,2),%ebx", 1, 512},
        {"0fb60648c1e8020fb60407ebf3", "movzbl (%rsi),%eax; shr $2,%rax; movzbl (%rdi,%rax),%eax", 2, 64},
        {"c1e8140fb60407ebf7", "shr $20,%eax; movzbl (%rdi,%rax),%eax", 1, 4096},
        {"c1e8140fb60438ebf7", "the same with base and index the other way round", 1, 4096},
        {"48c1e8140fb60407ebf6", "shr $20,%rax: 44 bits are left", 1, 0},
        {"83e0ff0fb60407ebf7", "and $-1,%eax", 1, 0},
        {"83e03f4883c7010fb60407ebf3", "and $63,%eax; add $1,%rdi: its base moves, too", 2, 0},
        {"83e03f750201c80fb60407ebf3", "and $63,%eax; jne over add %ecx,%eax: another block", 3, 0},
        {"0fb60407ebfa", "movzbl (%rdi,%rax),%eax: by what it loaded the turn before", 0, 0},
        {"0fb607ebfb", "movzbl (%rdi),%eax: it stays", 0, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].code);
        cr_assert_eq(code_address_span(code.rows, whole(&code), cases[at].row), cases[at].bytes, "%s: %lu", cases[at].what,
                     (unsigned long)code_address_span(code.rows, whole(&code), cases[at].row));
    }
}

Test(address_span, walks_go_on_by_constants_whichever_way_is_taken)
{
    static const struct {
        const char *code, *what;
        uint32_t row;
        bool walks;
    } cases[] = {
        {"8b074883c704ebf8", "mov (%rdi),%eax; add $4,%rdi", 0, true},
        {"8b078907ebfa", "a place that stays", 0, true},
        {"8b07488d4f044889cfebf4", "mov (%rdi),%eax; lea 4(%rdi),%rcx; mov %rcx,%rdi", 0, true},
        {"8b074801d7ebf9", "mov (%rdi),%eax; add %rdx,%rdi, which stays", 0, true},
        {"8b074801d748d1eaebf6", "… which is halved: a search", 0, false},
        {"488b3febfb", "mov (%rdi),%rdi: a chase", 0, false},
        {"8b0489488d0c40ebf7", "mov (%rcx,%rcx,4),%eax; lea (%rax,%rax,2),%rcx: by what it loaded", 0, false},
        {"8b07e8000000004883c704ebf3", "a call comes between, and keeps the register", 0, true},
        {"8b07480f44feebf8", "mov (%rdi),%eax; cmove %rsi,%rdi", 0, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].code);
        cr_assert_eq(code_address_walks(&code.rows[cases[at].row], code_walking_registers(code.rows, whole(&code))), cases[at].walks, "%s", cases[at].what);
    }
}

/* An unrolled copy reads all lines of its step; one of every third line doesn't go in order. */
Test(address_span, an_unrolled_loop_goes_by_lines_where_it_meets_all_of_its_step)
{
    static const struct {
        const char *code, *what;
        int64_t step;
        bool by_lines;
    } cases[] = {
        {"488b07ebfb", "mov (%rdi),%rax", 64, true},
        {"488b07ebfb", "mov (%rdi),%rax", -8, true},
        {"488b07ebfb", "mov (%rdi),%rax", 128, false},
        {"488b07488b5f40ebf7", "mov (%rdi),%rax; mov 64(%rdi),%rbx", 128, true},
        {"488b07488b5f40ebf7", "the same, downwards", -128, true},
        {"488b07488b5f40ebf7", "the same in steps of three lines", 192, false},
        {"488b07488b5e40ebf7", "mov (%rdi),%rax; mov 64(%rsi),%rbx: another block", 128, false},
        {"488b07488b5f20ebf7", "mov (%rdi),%rax; mov 32(%rdi),%rbx: one line of two", 128, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].code);
        cr_expect_eq(code_address_by_lines(code.rows, whole(&code), 0, cases[at].step), cases[at].by_lines, "%s by %ld", cases[at].what, (long)cases[at].step);
    }
}
