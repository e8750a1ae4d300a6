/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/cost_groups.h"

#include <string.h>

static bool is_of(const struct access_cost *cost, const struct stalls *stalls, const struct stall_group *group)
{
    return strcmp(cost->function, stalls->functions[group->function].name) == 0 &&
           strcmp(cost->area, group->area ? group->area : "") == 0;
}

/* Rows and strides apart are another pattern, whatever its place is called. */
static bool steps_alike(const struct access_cost *cost, const struct stall_group *group)
{
    uint64_t stride = working_set_walks_rows(&group->set) ? group->set.stride_bytes : 0;
    return cost->stride_bytes == stride;
}

static uint32_t group_of(const struct access_cost *cost, const struct stalls *stalls)
{
    uint32_t likely = ACCESS_COST_NO_GROUP;
    size_t alike = 0;
    for (uint32_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        if (!is_of(cost, stalls, group) || !steps_alike(cost, group))
            continue;
        if (group->row.shown_addr == cost->instruction)
            return at;
        likely = at;
        alike++;
    }
    return alike == 1 ? likely : ACCESS_COST_NO_GROUP;
}

void access_costs_settle(struct access_costs *costs, const struct stalls *stalls)
{
    for (size_t at = 0; at < costs->count; at++) {
        struct access_cost *cost = &costs->items[at];
        if (cost->function && cost->area)
            cost->group = group_of(cost, stalls);
    }
}
