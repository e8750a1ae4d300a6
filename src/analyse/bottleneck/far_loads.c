/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/far_loads.h"

#include "analyse/bottleneck/walk.h"
#include "analyse/code/loop_chain.h"
#include "base/cache_line.h"

#include <stdlib.h>

static const size_t MET_LEAST = 100;

static int addr_compare(const void *a, const void *b)
{
    uint64_t left = ((const struct timed_address *)a)->addr, right = ((const struct timed_address *)b)->addr;
    return (left > right) - (left < right);
}

/*
 * Lines that were met at least; and those that weren't weigh as much as those met once do among the samples (Good
 * 1953): of lines that are used evenly, so many times as many are.
 */
static double lines_about(address_list *met)
{
    size_t lines = 0, once = 0, run = 0;
    qsort(met->items, met->count, sizeof(*met->items), addr_compare);
    for (size_t at = 0; at < met->count; at++) {
        bool is_new = !at || met->items[at].addr / CACHE_LINE_BYTES != met->items[at - 1].addr / CACHE_LINE_BYTES;
        run = is_new ? 1 : run + 1;
        lines += is_new;
        once += run == 1 ? 1 : run == 2 ? (size_t)-1 : 0;
    }
    double seen = 1 - (double)once / (double)met->count, least = 1 / (double)met->count;
    return (double)lines / (seen > least ? seen : least);
}

static bool is_line_by_line(const struct region *region, uint32_t row)
{
    int64_t step = 0;
    return code_loop_step(region->code->items, region->rows, row, &step) && llabs(step) <= CACHE_LINE_BYTES;
}

bool loads_reach_far(const struct bottleneck_request *request, const struct region *region)
{
    bool far = false;
    for (uint32_t row = region->rows.first; row <= region->rows.last && region->is_loop && !far; row++) {
        const struct instruction *here = &region->code->items[row];
        if (!region_holds(region, row) || !here->is_load || !here->memory.is_present || is_line_by_line(region, row))
            continue;
        address_list met = {0};
        addresses_met(&met, request, region, row);
        far = met.count >= MET_LEAST && lines_about(&met) * CACHE_LINE_BYTES > request->machine->l1_bytes;
        vec_done(&met);
    }
    return far;
}
