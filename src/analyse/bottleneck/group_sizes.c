/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/group_sizes.h"

#include <string.h>

static const struct bottleneck_loop *loop_at(const struct bottleneck *bottleneck, const struct stalls *stalls,
                                             const struct stall_group *group)
{
    const char *function = stalls->functions[group->function].name;
    for (size_t at = 0; at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (loop->access_addr && loop->access_addr == group->row.shown_addr && loop->verdict.function &&
            strcmp(loop->verdict.function, function) == 0)
            return loop;
    }
    return NULL;
}

/* The access goes to another mapping as well, where more of its samples are. */
static bool is_second(const struct stalls *stalls, size_t group)
{
    for (size_t at = 0; at < group; at++)
        if (stalls->groups[at].function == stalls->groups[group].function &&
            stalls->groups[at].row.shown_addr == stalls->groups[group].row.shown_addr)
            return true;
    return false;
}

void group_sizes_settle(struct stalls *stalls, const struct bottleneck *bottleneck)
{
    for (size_t at = 0; at < stalls->group_count; at++) {
        struct stall_group *group = &stalls->groups[at];
        const struct bottleneck_loop *loop = loop_at(bottleneck, stalls, group);
        if (!loop || is_second(stalls, at))
            continue;
        const struct bottleneck_set *set = &loop->access;
        group->said = (struct stall_size){
            .is_known = true,
            .lines = {set->lines_bytes > 0, set->lines_bytes, set->at_least_bytes},
            .pages = {set->pages_bytes > 0, set->pages_bytes, set->at_least_bytes},
        };
    }
}
