/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/code/polling_loop.h"
#include "base/vec.h"

/* As gcc 12 -O2 makes them. */
static const struct {
    const char *what, *hex;
    bool polls;
} cases[] = {
    {"a flag", "8b050000000039f875f6c3", true},
    {"a flag, with a pause", "eb08660f1f440000f3900fb60784c074f7c3", true},
    {"a flag within the loop that writes another", "83ff017e29ba0100000031c90f1f40008b050000000039d075f601d189d087050000000083c20139d775e589c8c331c989c8c3", true},
    {"the sum of the others' flags", "83fe017e2e8d46fe4c8d4701488d7c07020f1f80000000004c89c031c90f1f000fbe104883c00101d14839f875f239ce7fe6c3750bebfe660f1f840000000000c3", true},
    {"a list", "eb0f660f1f440000483977087412488b3f4885ff75f231c0c30f1f80000000004889f8c3", false},
    {"an array's element", "31c0483b377419660f1f8400000000004883c001483934c775f6c30f1f440000c3", false},
    {"data between two reads of its number", "8b178b0e8b0739c275f689c8c3", false},
    {"a lock taken by an update", "31c9ba0100000089c8f00fb11775f8c3", false},
    {"so many times at most", "b8e8030000eb0e660f1f84000000000083e80174068b1785d274f5c3", false},
    {"between calls", "534889fbeb0f662e0f1f840000000000e8000000008b0385c074f55bc3", false},
};

static uint32_t row_at(const struct loop_code *code, uint64_t addr)
{
    for (uint32_t row = 0; row < code->count; row++)
        if (code->rows[row].addr == addr)
            return row;
    return UINT32_MAX;
}

/* Any loop of it. */
static bool code_polls(const struct loop_code *code)
{
    bool polls = false;
    for (uint32_t last = 0; last < code->count; last++) {
        const struct instruction *back = &code->rows[last];
        uint32_t first = back->has_target && back->target < back->addr ? row_at(code, back->target) : UINT32_MAX;
        polls |= first != UINT32_MAX && code_loop_polls(code->rows, code->count, (struct loop_rows){first, last});
    }
    return polls;
}

Test(polling_loop, who_waits_for_others_is_told_from_who_goes_on)
{
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].hex);
        cr_expect_eq(code_polls(&code), cases[at].polls, "%s", cases[at].what);
    }
}
