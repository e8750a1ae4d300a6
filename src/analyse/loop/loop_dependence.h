/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long is the longest chain of results from turn to turn of a loop?
 *
 * What a turn leaves in registers, flags and stored places is a state; the longest way from each to each through one
 * turn is a matrix, and the greatest mean weight of its cycles (Karp, "A characterization of the minimum cycle mean in
 * a digraph", 1978) is the number of cycles a turn takes however wide the core is. Internal to analyse/loop.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_DEPENDENCE_H
#define PLUMB_ANALYSE_LOOP_LOOP_DEPENDENCE_H

#include "analyse/loop/loop_bound.h"

/* costs: by position of the path. if_same: also places that only may be the same in every turn. */
void loop_chain_longest(struct loop_result_chain *ret_chain, const struct loop_path *path,
                        const struct instruction_cost *costs, const struct core_costs *core, bool if_same,
                        struct arena *arena);

/*
 * Of code that is run from its beginning to its end: the longest chain of results from what is there at its beginning
 * to whatever comes last.
 */
void straight_chain_longest(struct loop_result_chain *ret_chain, const struct loop_path *path,
                            const struct instruction_cost *costs, const struct core_costs *core, struct arena *arena);

/*
 * How many cycles such code takes each time when it is run over and over, no time waiting for the one before: as far as
 * a core with the largest reorder buffer there is takes them side by side, issue and results being its only limits.
 */
double straight_cycles_overlapped(const struct loop_path *path, const struct instruction_cost *costs,
                                  const struct core_costs *core, struct arena *arena);

#endif
