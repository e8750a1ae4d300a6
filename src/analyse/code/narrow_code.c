/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/narrow_code.h"

#include "base/vec.h"

#include <stdlib.h>

enum { LOOPS_MOST = 64 };

static const double HOT_LEAST = 0.01;

struct search {
    const struct stalls *stalls;
    struct narrow_code *code;
    struct arena *arena;
};

static bool has_loop(const struct stall_code *decoded, uint32_t row)
{
    return decoded->loops && decoded->loops[row].first != UINT32_MAX;
}

/* Not of a loop within it. */
static bool is_own_row(const struct stall_code *decoded, struct loop_rows loop, uint32_t row)
{
    return decoded->loops[row].first == loop.first && decoded->loops[row].last == loop.last;
}

static uint64_t loop_samples(const struct stall_code *decoded, struct loop_rows loop)
{
    uint64_t sum = 0;
    for (uint32_t row = loop.first; row <= loop.last; row++)
        sum += is_own_row(decoded, loop, row) ? decoded->hits[row] : 0;
    return sum;
}

static const char *hottest_text(const struct stall_function *function, const struct stall_code *decoded,
                                struct loop_rows loop)
{
    uint32_t best = loop.first;
    for (uint32_t row = loop.first; row <= loop.last; row++)
        best = decoded->hits[row] > decoded->hits[best] ? row : best;
    for (size_t at = 0; at < function->row_count; at++)
        if (function->rows[at].shown_addr == decoded->items[best].addr)
            return function->rows[at].text;
    return NULL;
}

static bool is_narrow_row(const struct instruction *row)
{
    return row->is_scalar_fp || row->vector_bits == 128;
}

static void note_held(struct narrow_code *code, const struct stall_code *decoded, struct loop_rows loop)
{
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        if (!is_own_row(decoded, loop, row))
            continue;
        code->held_fp_rows += is_narrow_row(&decoded->items[row]) ? decoded->hits[row] : 0;
        code->held_fp_loops += decoded->marks && decoded->marks[row] & MARK_NARROW ? decoded->hits[row] : 0;
    }
}

static void loop_look(struct search *search, const struct stall_function *function, const struct stall_code *decoded,
                      struct loop_rows loop)
{
    uint64_t samples = loop_samples(decoded, loop);
    if ((double)samples < HOT_LEAST * (double)search->stalls->sample_count || search->code->count >= LOOPS_MOST)
        return;
    struct loop_width width = loop_width_of(decoded->items, loop, search->arena);
    if (width.obstacle == LOOP_CARRIED || width.obstacle == LOOP_STORED)
        note_held(search->code, decoded, loop);
    if (width.obstacle == LOOP_BRANCHES && !width.is_fp && width.bits <= 64)
        search->code->branched_samples += samples;
    if (width.obstacle != LOOP_FREE || width.bits >= 256 || !width.bits)
        return;
    search->code->loops[search->code->count++] = (struct narrow_loop){
        .function = function,
        .first_addr = decoded->items[loop.first].addr,
        .last_addr = decoded->items[loop.last].addr,
        .text = hottest_text(function, decoded, loop),
        .samples = samples,
        .width = width,
    };
}

static void function_look(struct search *search, const struct stall_function *function,
                          const struct stall_code *decoded)
{
    for (uint32_t row = 0; decoded->hits && row < decoded->count; row++) {
        if (has_loop(decoded, row) && decoded->loops[row].last == row)
            loop_look(search, function, decoded, decoded->loops[row]);
    }
}

static int hotter(const void *a, const void *b)
{
    const struct narrow_loop *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

struct narrow_code narrow_code_of(const struct stalls *stalls, struct arena *arena)
{
    struct narrow_code code = {.loops = arena_array(arena, struct narrow_loop, LOOPS_MOST)};
    struct search search = {stalls, &code, arena};
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel && stalls->codes[at].count)
            function_look(&search, &stalls->functions[at], &stalls->codes[at]);
    if (code.count)
        qsort(code.loops, code.count, sizeof(*code.loops), hotter);
    return code;
}
