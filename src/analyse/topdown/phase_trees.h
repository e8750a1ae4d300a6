/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The top-down tree of each phase of a run: of the windows that lie within its stretches, all of them together.
 *
 * A window that reaches over a phase's border is nobody's. Groups of events take turns: where none of a group's fell
 * into a phase, its nodes weren't counted in it, and say so.
 * Does not support: phases shorter than a turn; changes of what is counted where the mix of hot code stays the same.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_PHASE_TREES_H
#define PLUMB_ANALYSE_TOPDOWN_PHASE_TREES_H

#include "analyse/time/phase_rows.h"
#include "analyse/topdown/topdown_counts.h"

struct phase_tree {
    const struct phase_whole *phase;
    struct topdown_counted counted; /* of it alone */
    bool is_known;       /* one of its nodes is */
    const char *why_not; /* it has no first level; NULL: it has */
};

struct phase_trees {
    struct phase_tree items[PHASES_JUDGED_MOST]; /* as the rows' judged ones */
    size_t count;
};

/* Owner of all: arena. */
void phase_trees_find(struct phase_trees *ret_trees, const struct topdown_counts *counts,
                      const struct phase_rows *phases, struct arena *arena);

#endif
