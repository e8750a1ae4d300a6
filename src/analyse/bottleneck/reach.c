/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/reach.h"

#include "analyse/bottleneck/thresholds.h"
#include "analyse/bottleneck/walk.h"
#include "base/vec.h"

enum {
    LINE_BYTES = 64,
    ADDRESSES_MOST = 20000, /* the estimate doesn't get better with more */
};

static enum bottleneck_level level_of(const struct bottleneck_machine *machine, double bytes)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    return bytes <= machine->l1_bytes * limit->set_over_cache  ? LEVEL_L1
           : bytes <= machine->l2_bytes * limit->l2_over_cache ? LEVEL_L2
                                                               : LEVEL_BEYOND;
}

/* By the lines met; where none came twice, they are more than a lower bound and fewer than the pages hold. */
static bool level_find(struct reach *reach, const struct bottleneck_machine *machine)
{
    const struct set_size *lines = &reach->set.lines, *pages = &reach->set.pages;
    reach->level = level_of(machine, reach->lines_bytes);
    bool is_small = pages->known && level_of(machine, pages->bytes) == LEVEL_L1;
    return lines->known || reach->level != LEVEL_L1 || is_small;
}

/* The row of the region whose accesses stalled most. */
static uint32_t hottest_access(const struct region *region)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        if (region_holds(region, row) && (here->is_load || here->is_store) && here->memory.is_present &&
            (best == UINT32_MAX || region->code->hits[row] > region->code->hits[best]))
            best = row;
    }
    return best;
}

/* Lines that a turn of `step` bytes meets: others of its accesses go along. */
static double lines_a_turn(const struct region *region, int64_t step)
{
    double most = (double)(step < 0 ? -step : step) / LINE_BYTES, along = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        int64_t other;
        const struct instruction *here = &region->code->items[row];
        along += region_holds(region, row) && (here->is_load || here->is_store) &&
                 code_loop_step(region->code->items, region->rows, row, &other) && other == step;
    }
    return most < 1 || along < 1 ? 1 : along < most ? along : most;
}

/* By the code where it counts evenly, else by neighbouring samples. */
static void order_find(struct reach *reach, const struct bottleneck_request *request, const struct region *region,
                       uint32_t row)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    struct walk walk = walk_of(request, region, row);
    int64_t step = 0;
    bool counted = region->is_loop && code_loop_step(region->code->items, region->rows, row, &step);
    bool agrees = walk.pairs && walk.agreeing >= limit->walk_agreeing;
    double lines = counted ? lines_a_turn(region, step) : 1, way = (double)(step < 0 ? -step : step);
    /* A turn meets nearly all of the lines on its way. */
    reach->in_order = counted ? way <= LINE_BYTES || way <= 2 * LINE_BYTES * lines : agrees;
    double width = counted && way > LINE_BYTES ? way / lines : LINE_BYTES;
    reach->line_ns = reach->in_order && agrees && walk.bytes_per_ns > 0 ? width / walk.bytes_per_ns : 0;
    reach->is_fetched_ahead = reach->line_ns > limit->walk_line_ns;
}

struct reach reach_of(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct stalls *stalls = request->stalls;
    struct reach reach = {0};
    vec(struct timed_address) addresses = {0};
    for (size_t at = 0; at < stalls->address_count && addresses.count < ADDRESSES_MOST; at++) {
        const struct stall_address *hit = &stalls->addresses[at];
        if (hit->function == region->function && region_holds(region, hit->instruction) &&
            (row == UINT32_MAX || hit->instruction == row))
            *vec_push(&addresses) = (struct timed_address){hit->time_ns, hit->addr};
    }
    if (addresses.count >= WORKING_SET_ADDRESSES_LEAST) {
        reach.set = working_set_of(addresses.items, addresses.count);
        reach.lines_bytes = reach.set.lines.known ? reach.set.lines.bytes : reach.set.lines.at_least_bytes;
        reach.known = level_find(&reach, request->machine);
        double pages = reach.set.pages.known ? reach.set.pages.bytes : reach.set.pages.at_least_bytes;
        bool sized = reach.set.lines.known && reach.set.lines.bytes > 0;
        bool strides = reach.set.stride_bytes >= request->machine->base_page_bytes / 2 && !reach.set.one_place_in_stride;
        reach.is_wide_spread = pages > limit->tlb_pages_bytes &&
                               ((sized && pages > limit->tlb_page_line * reach.set.lines.bytes) || strides);
        uint32_t access = row == UINT32_MAX ? hottest_access(region) : row;
        if (reach.known && reach.level != LEVEL_L1 && access != UINT32_MAX)
            order_find(&reach, request, region, access);
        reach.is_wide_spread &= !reach.in_order;
    }
    vec_done(&addresses);
    return reach;
}
