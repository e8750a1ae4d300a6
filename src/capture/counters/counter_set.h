/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counters that a diagnosis reads beside its samples: kernel counters everywhere, hardware counters where there
 * is a PMU, in groups small enough for any of them.
 *
 * What can't be opened keeps its place with the reason. Events of one group were counted at the same moments; when
 * there are more groups than counters, the kernel takes turns, and a count is then scaled (running < enabled).
 * Of model-specific events only those of the clock: Skylake to Ice Lake servers' licences, aperf and mperf.
 * Where others take turns with its hardware counters (turn_counters.h), these count in their turns alone and are scaled
 * by that. Does not support: other model-specific events, uncore PMUs.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_COUNTER_SET_H
#define PLUMB_CAPTURE_COUNTERS_COUNTER_SET_H

#include "base/measured.h"
#include "model/counts.h"
#include "source/live/counters.h"

struct counter_set;

struct counter_total {
    const char *name;      /* "cycles" */
    struct measured count; /* each CPU's and thread's part scaled by its own time on a counter, then added */
    double running_ratio;  /* of the part that was on a counter for the smallest share of its time; 1: all the time */
    bool hardware, user_only;
};

/*
 * Open them on target: a workload's wait for its exec, others for counter_set_start. Children count, too. in_turns:
 * hardware counters wait for counter_set_turn.
 * Errors: ERROR_LIMIT, ERROR_NOT_FOUND (the target is gone). Owner: the caller (counter_set_free).
 */
MUST_CHECK bool counter_set_open(struct counter_set **ret_set, const struct target *target, bool in_turns,
                                 const struct kernel *kernel, const struct sysroot *root, struct error *err);
void counter_set_start(struct counter_set *set);
/* The hardware counters' turn begins, or ends. */
void counter_set_turn(struct counter_set *set, bool on);
/* Stop and read: one total for each event. Owner of the totals: the set. */
size_t counter_set_finish(struct counter_set *set, const struct counter_total **ret_totals);
void counter_set_free(struct counter_set *set); /* NULL is fine */

#endif
