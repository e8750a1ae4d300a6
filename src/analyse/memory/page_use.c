/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/page_use.h"

struct page_use page_use_of(const struct stalls *stalls)
{
    struct page_use use = {.busiest = NULL};
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        use.base_hits += group->base_hits;
        use.huge_hits += group->huge_hits;
        use.unknown_hits += group->unknown_hits;
        if (group->base_hits && (!use.busiest || group->base_hits > use.busiest->base_hits))
            use.busiest = group;
    }
    double known = (double)(use.base_hits + use.huge_hits);
    use.base_share = wilson_interval((double)use.base_hits, known, known);
    return use;
}
