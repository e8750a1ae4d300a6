/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/crowd.h"

#include "base/cache_line.h"

#include <string.h>

/* So far apart, in lines, that to move each on by one spreads them: nearer ones are elements that nobody pads. */
static const double CROWDING_LEAST = 16;

static double sets_used(double sets, double crowding)
{
    return sets > crowding ? sets / crowding : sets > 0 ? 1 : 0;
}

struct bottleneck_crowd crowd_of(const struct reach *reach, const struct bottleneck_machine *machine)
{
    bool steps = reach->set.stride_bytes > CACHE_LINE_BYTES && !reach->set.one_place_in_stride;
    if (!reach->known || !reach->is_crowded || !steps || reach->crowding < CROWDING_LEAST)
        return (struct bottleneck_crowd){0};
    return (struct bottleneck_crowd){
        .step_bytes = (double)reach->set.stride_bytes,
        .lines = reach->lines_bytes / CACHE_LINE_BYTES,
        .l1_used = sets_used(machine->l1_sets, reach->crowding),
        .l2_used = sets_used(machine->l2_sets, reach->crowding),
    };
}

const char *crowd_text(const struct reach *reach, const struct bottleneck_machine *machine, const char *sizes,
                       struct arena *arena)
{
    bool second = reach->level == LEVEL_BEYOND;
    double sets = second ? machine->l2_sets : machine->l1_sets, used = sets_used(sets, reach->crowding);
    const char *shared = sets > 0 ? arena_printf(arena, "%.0f of its %.0f sets", used, sets) : "few of its sets";
    return arena_printf(arena, "which the %s cache has room for (%s), but they share %s", second ? "second" : "first",
                        sizes, shared);
}

static bool is_measured_at(const struct access_cost *cost, const struct region *region, const char *function)
{
    if (!cost->known || !cost->function || strcmp(cost->function, function) != 0)
        return false;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++)
        if (region->code->items[row].addr == cost->instruction)
            return region_holds(region, row);
    return false;
}

/* For certain by blocks in pairs; nor does the waiting alone say otherwise, whose blocks differ more. */
static bool returns_nothing(const struct access_cost *cost)
{
    static const double NOTHING = 0.05;
    const struct interval *wait = &cost->wait_spread;
    return cost->ratio.low >= 1 - NOTHING && (!wait->known || wait->mid >= 1 - NOTHING);
}

const struct access_cost *crowd_pages_refuted(const struct bottleneck_request *request, const struct region *region)
{
    const struct access_costs *costs = request->costs;
    const char *function = request->stalls->functions[region->function].name;
    for (size_t at = 0; costs && at < costs->count; at++)
        if (is_measured_at(&costs->items[at], region, function) && returns_nothing(&costs->items[at]))
            return &costs->items[at];
    return NULL;
}
