/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/narrow_code.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Sixteen numbers each turn, the larger of each and 0 from one array into the other; around it the place in the arrays moves on, and wraps. */
enum { ROWS = 22, INNER_FIRST = 10, LOAD = 11, INNER_LAST = 16, PLACE = 18 };
static const char code_bytes[] = "4c8d52104c39d27333488d42014939c24819c94883e1f1488d4c0a10eb066690"
                                 "4883c001f3410f100491f30f5fc1f3410f1104904889c24839c175e4"
                                 "4c39d74c89d2480f44d34983c3014c39de75b1";

/* What the numbers of a loop are free of holds the loop around it. */
Test(narrow_code, a_loop_holds_its_own_rows_not_those_of_a_loop_within_it)
{
    struct instruction rows[ROWS];
    struct loop_rows loops[ROWS];
    uint64_t hits[ROWS] = {[LOAD] = 400, [PLACE] = 30};
    uint16_t marks[ROWS];
    uint8_t bytes[96];
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    size_t size = strlen(code_bytes) / 2, count = 0;
    for (size_t at = 0; at < size; at++) {
        char digits[3] = {code_bytes[2 * at], code_bytes[2 * at + 1], 0};
        bytes[at] = (uint8_t)strtoul(digits, NULL, 16);
    }
    for (size_t at = 0; at < size && count < ROWS; at += rows[count++].length)
        cr_assert(disassembler_next(disassembler, bytes + at, size - at, 0x1000 + at, &rows[count]));
    disassembler_free(disassembler);
    cr_assert_eq(count, ROWS);
    for (uint32_t at = 0; at < ROWS; at++) {
        loops[at] = at >= INNER_FIRST && at <= INNER_LAST ? (struct loop_rows){INNER_FIRST, INNER_LAST} : (struct loop_rows){0, ROWS - 1};
        marks[at] = MARK_NARROW;
    }
    struct stall_function function = {.name = "sums"};
    struct stall_code decoded = {.items = rows, .hits = hits, .marks = marks, .loops = loops, .count = ROWS};
    struct stalls stalls = {.functions = &function, .codes = &decoded, .function_count = 1, .sample_count = 430, .user_samples = 430};
    struct arena arena = {0};
    struct narrow_code code = narrow_code_of(&stalls, &arena);
    cr_expect_eq(code.count, 1);
    cr_expect_eq(code.held_fp_rows, 0, "%llu", (unsigned long long)code.held_fp_rows);
    cr_expect_eq(code.held_fp_loops, hits[PLACE], "%llu", (unsigned long long)code.held_fp_loops);
    arena_done(&arena);
}
