/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/region.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    NO_LOOP = UINT32_MAX,
    LOOPS_MOST = 256, /* of one function */
    DEPTH_MOST = 16,
};

struct loop_count {
    struct loop_rows rows;
    uint64_t own; /* samples in it and no smaller one */
};

typedef vec(struct loop_count) loop_counts;

bool region_holds(const struct region *region, uint32_t row)
{
    return region->region_of_row[row] == region->index;
}

/* Two ways back to one head are one loop. */
static bool is_same(struct loop_rows a, struct loop_rows b)
{
    return a.first == b.first;
}

static size_t loop_index(loop_counts *loops, struct loop_rows rows)
{
    size_t at = 0;
    while (at < loops->count && !is_same(loops->items[at].rows, rows))
        at++;
    if (at == loops->count && at < LOOPS_MOST)
        *vec_push(loops) = (struct loop_count){.rows = rows};
    else if (at < loops->count && rows.last > loops->items[at].rows.last)
        loops->items[at].rows.last = rows.last;
    return at;
}

/* The smallest of the other loops around it. */
static size_t loop_around(const loop_counts *loops, size_t inner)
{
    struct loop_rows rows = loops->items[inner].rows;
    size_t best = NO_LOOP;
    for (size_t at = 0; at < loops->count; at++) {
        struct loop_rows outer = loops->items[at].rows;
        bool holds = at != inner && outer.first <= rows.first && outer.last >= rows.last;
        uint32_t best_rows =
            best == NO_LOOP ? UINT32_MAX : loops->items[best].rows.last - loops->items[best].rows.first;
        if (holds && outer.last - outer.first < best_rows)
            best = at;
    }
    return best;
}

static int larger_compare(const void *a, const void *b)
{
    const struct loop_count *left = a, *right = b;
    uint32_t l = left->rows.last - left->rows.first, r = right->rows.last - right->rows.first;
    return (l > r) - (l < r);
}

/* What small loops hold goes to the one around them; those without go to the function's rest. */
static void small_loops_merge(loop_counts *loops, uint64_t least)
{
    if (loops->count)
        qsort(loops->items, loops->count, sizeof(*loops->items), larger_compare);
    for (size_t at = 0; at < loops->count; at++) { /* smallest first */
        size_t outer = loop_around(loops, at);
        if (loops->items[at].own >= least)
            continue;
        if (outer != NO_LOOP)
            loops->items[outer].own += loops->items[at].own;
        loops->items[at].own = 0;
    }
}

static size_t region_of(const loop_counts *loops, uint32_t row)
{
    size_t best = NO_LOOP;
    for (size_t at = 0; at < loops->count; at++) {
        struct loop_rows rows = loops->items[at].rows;
        if (loops->items[at].own && rows.first <= row && row <= rows.last &&
            (best == NO_LOOP || rows.last - rows.first < loops->items[best].rows.last - loops->items[best].rows.first))
            best = at;
    }
    return best;
}

typedef vec(struct region) region_list;

static void function_regions(region_list *list, const struct stalls *stalls, uint32_t function, uint64_t least,
                             struct arena *arena)
{
    const struct stall_code *code = &stalls->codes[function];
    loop_counts loops = {0};
    for (uint32_t row = 0; row < code->count; row++) {
        if (!code->hits[row] || code->loops[row].first == NO_LOOP)
            continue;
        size_t index = loop_index(&loops, code->loops[row]);
        if (index < loops.count)
            loops.items[index].own += code->hits[row];
    }
    small_loops_merge(&loops, least);
    uint32_t *region_of_row = arena_array(arena, uint32_t, code->count + 1);
    uint64_t *samples = arena_array(arena, uint64_t, loops.count + 1);
    for (uint32_t row = 0; row < code->count; row++) {
        size_t region = region_of(&loops, row);
        region_of_row[row] = region == NO_LOOP ? (uint32_t)loops.count : (uint32_t)region;
        samples[region_of_row[row]] += code->hits[row];
    }
    for (size_t at = 0; at <= loops.count; at++)
        if (samples[at])
            *vec_push(list) = (struct region){
                .function = function,
                .code = code,
                .rows = at < loops.count ? loops.items[at].rows : (struct loop_rows){0, (uint32_t)code->count - 1},
                .is_loop = at < loops.count,
                .samples = samples[at],
                .region_of_row = region_of_row,
                .index = (uint32_t)at,
            };
    vec_done(&loops);
}

static int region_compare(const void *a, const void *b)
{
    const struct region *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

void regions_find(struct regions *regions, const struct stalls *stalls, double share_least, struct arena *arena)
{
    region_list list = {0};
    uint64_t least = (uint64_t)(share_least * (double)stalls->sample_count) + 1;
    for (uint32_t at = 0; at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel && stalls->codes[at].count && stalls->codes[at].marked &&
            stalls->functions[at].attributed)
            function_regions(&list, stalls, at, least, arena);
    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), region_compare);
    regions->count = list.count;
    regions->items = arena_array(arena, struct region, list.count + 1);
    if (list.count)
        memcpy(regions->items, list.items, list.count * sizeof(*list.items));
    vec_done(&list);
}
