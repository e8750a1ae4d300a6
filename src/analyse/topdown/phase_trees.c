/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/phase_trees.h"

static struct metric_group group_within(const struct metric_group *group, const struct phase_rows *phases,
                                        uint32_t phase, struct arena *arena)
{
    struct metric_group part = *group;
    struct group_window *windows = arena_array(arena, struct group_window, group->window_count + 1);
    part.windows = windows;
    part.window_count = 0;
    for (size_t at = 0; at < group->window_count; at++)
        if (phase_rows_hold(phases, phase, group->windows[at].start_ns, group->windows[at].end_ns))
            windows[part.window_count++] = group->windows[at];
    return part;
}

static bool has_turns(const struct metric_group *group)
{
    for (size_t at = 0; at < group->window_count; at++)
        if (group->windows[at].running_ns)
            return true;
    return false;
}

static const struct metric_place *places_within(const struct topdown_counts *counts, const struct metric_group *groups,
                                                struct arena *arena)
{
    struct metric_place *places = arena_array(arena, struct metric_place, counts->table->metrics.count + 1);
    for (size_t at = 0; at < counts->table->metrics.count; at++) {
        places[at] = counts->places[at];
        bool counted = true;
        for (size_t group = 0; group < places[at].group_count; group++)
            counted &= has_turns(&groups[places[at].groups[group]]);
        if (!counted)
            places[at] =
                (struct metric_place){.why_not = "not counted in this phase: no turn of its events fell into it"};
    }
    return places;
}

static struct topdown_counts counts_within(const struct topdown_counts *counts, const struct phase_rows *phases,
                                           uint32_t phase, struct arena *arena)
{
    struct topdown_counts part = *counts;
    struct metric_group *groups = arena_array(arena, struct metric_group, counts->group_count + 1);
    for (size_t at = 0; at < counts->group_count; at++)
        groups[at] = group_within(&counts->groups[at], phases, phase, arena);
    part.groups = groups;
    part.places = places_within(counts, groups, arena);
    return part;
}

static void tree_find(struct phase_tree *tree, const struct topdown_counts *counts, const struct phase_rows *phases,
                      struct arena *arena)
{
    if (!counts->by_sample_time) {
        tree->why_not = "its counters weren't read by the samples' clock: an older plumb recorded it";
        return;
    }
    const struct topdown_counts part = counts_within(counts, phases, tree->phase->phase, arena);
    tree->is_known = topdown_counts_tree(&tree->counted, &part, arena);
    if (!tree->counted.has_first_level)
        tree->why_not = topdown_why_unknown(&tree->counted);
}

void phase_trees_find(struct phase_trees *ret_trees, const struct topdown_counts *counts,
                      const struct phase_rows *phases, struct arena *arena)
{
    *ret_trees = (struct phase_trees){0};
    for (; ret_trees->count < phases->judged_count; ret_trees->count++) {
        struct phase_tree *tree = &ret_trees->items[ret_trees->count];
        *tree = (struct phase_tree){.phase = &phases->judged[ret_trees->count]};
        tree_find(tree, counts, phases, arena);
    }
}
