/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/code/search_shape.h"
#include "base/vec.h"

/* As gcc 12 -O2 makes them. row: the load that is waited for. */
static const struct {
    const char *what, *hex, *load;
    enum search_shape shape;
} cases[] = {
    {"binary search tree", "eb17660f1f440000483937741b488b4708480f4e47104889c74885ff75ea31c0c30f1f80000000004889f8c3", "483937", SEARCH_TREE},
    {"std::map, two ways back", "4889c74889c84885c07416488b4810488b5018483b70207ee74889d04885c075ea4c39e7", "488b4810", SEARCH_TREE},
    {"list with a condition on its values", "31c04885ff7429660f1f840000000000488b5710488b3f488d0c104839d6480f4cc14885ff75e9c3", "488b3f", SEARCH_NONE},
    {"array of such nodes", "4885f67e3b488d0476488d0cc731c0eb170f1f8000000000488b57084883c7184801d04839f9741648837f100079e9488b174883c7184801d04839f975eac3",
     "488b5708", SEARCH_NONE},
    {"binary search by branches", "31c9eb140f1f4000488d040e48d1f8483914c77c134889c64839ce7feb4889c8c30f1f8000000000488d4801ebea", "483914c7", SEARCH_HALVING},
    {"binary search without", "4883fe017e324889f80f1f80000000004889f148d1f94c8d04c8493b10490f4fc04829ce4883fe017fe64829f848c1f803c3", "493b10", SEARCH_HALVING},
    {"std::lower_bound", "48c1e6034889f848c1fe030f1f4400004885f67e1f4889f148d1f94c8d04c84939107d1c4829ce498d40084883ee014885f67fe14829f848c1f803c30f1f40004889ceebcb",
     "493910", SEARCH_HALVING},
    {"lists that are merged, keys in the next node's register", "eb104c39f972234c8b3b4d85ff741b4c89fb488b4b104989f74839ce75e44c8b7b184889f94c39ff75d8c3",
     "4c8b3b", SEARCH_NONE},
    {"tree, one copy for both ways", "eb0c488b4a084885c974184889ca488b421839f0740d39c672e8488b4a104885c975e8c3", "488b4a08", SEARCH_TREE},
    {"half bytes in order", "4885f67e3b31d24531c0660f1f4400004889d089d14883c20148d1f883e1010fb60407c1e102d3f883e00f4901c04839d675dd4c89c0c3", "0fb60407",
     SEARCH_NONE},
};

static uint32_t row_of(const struct loop_code *code, const char *hex)
{
    for (uint32_t row = 0; row < code->count; row++) {
        bool same = code->rows[row].length * 2 == strlen(hex);
        for (size_t at = 0; same && at < code->rows[row].length; at++)
            same = code->bytes[code->rows[row].addr - 0x1000 + at] == (uint8_t)(hex_digit(hex[2 * at]) << 4 | hex_digit(hex[2 * at + 1]));
        if (same)
            return row;
    }
    cr_assert_fail("no %s", hex);
    return 0;
}

Test(search_shape, look_ups_are_told_from_walks)
{
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        loop_code_decode(&code, cases[at].hex);
        enum search_shape shape = search_shape_at(code.rows, code.count, row_of(&code, cases[at].load));
        cr_expect_eq(shape, cases[at].shape, "%s: %d", cases[at].what, shape);
    }
}

/* In a long loop the same registers hold one thing after the other: what follows from what isn't known without their order. */
Test(search_shape, long_loops_are_not_told)
{
    enum { BASE = 5, OTHER = 0, MOST = 128 };
    static const size_t lengths[] = {8, 100};
    for (size_t at = 0; at < array_count(lengths); at++) {
        struct instruction rows[MOST] = {0};
        for (size_t row = 0; row < lengths[at]; row++)
            rows[row] = (struct instruction){.class = INSTRUCTION_INT};
        for (size_t child = 0; child < 2; child++)
            rows[child] = (struct instruction){
                .class = INSTRUCTION_LOAD, .is_load = true, .reads = child ? 1 << OTHER : 0, .writes = 1 << OTHER,
                .memory = {.is_present = true, .base = BASE, .index = REGISTER_NONE, .size_bytes = 8, .displacement = 8 * (int64_t)child}};
        rows[2] = (struct instruction){.class = INSTRUCTION_INT, .reads = 1 << OTHER, .writes = 1 << BASE};
        rows[lengths[at] - 1] = (struct instruction){.class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000};
        for (size_t row = 0; row < lengths[at]; row++)
            rows[row].addr = 0x1000 + 4 * row, rows[row].length = 4, rows[row].falls_through = true;
        cr_expect_eq(search_shape_at(rows, lengths[at], 0), at ? SEARCH_NONE : SEARCH_TREE, "%zu", lengths[at]);
    }
}

/* Rows without a loop, without memory, and past the end. */
Test(search_shape, no_loop_is_no_search)
{
    struct loop_code code;
    loop_code_decode(&code, "488b4708480f4e4710c3");
    for (uint32_t row = 0; row < code.count + 2; row++)
        cr_expect_eq(search_shape_at(code.rows, code.count, row), SEARCH_NONE);
}
