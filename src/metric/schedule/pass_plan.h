/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How do several groups get their turn: a run for each, long slices, or the kernel's rotation; and is there time
 * enough?
 *
 * A run for each group where the command can be repeated within the budget; slices of a second where something is
 * watched that goes on; the kernel's rotation (multiplexing) where each interval of a watch is asked for, or where one
 * run lasts long enough for every group to be on the counters 250 times; else refused, with how long it would have to
 * last. One group needs none of it.
 * Does not support: deciding whether a command can be repeated (the user knows).
 * Source: of the 250: perf and toplev users' reports of results that flip when a group is seen too rarely.
 */
#ifndef PLUMB_METRIC_SCHEDULE_PASS_PLAN_H
#define PLUMB_METRIC_SCHEDULE_PASS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pass_way { PASS_ONCE, PASS_RUNS, PASS_SLICES, PASS_MULTIPLEX, PASS_REFUSED };

/* How what was measured first is measured again beside each further group, to see whether runs agree. */
enum pass_control {
    CONTROL_IN_GROUP,  /* it costs no counter, and stands in every group */
    CONTROL_ROTATES,   /* its own group takes turns with each other one */
    CONTROL_COUNTS_ONLY /* instructions and cycles are all that there is room for */
};

struct pass_question {
    size_t group_count;
    bool repeatable;         /* a command that may be run again */
    double seconds;          /* that one run, or the watch, lasts; 0: no end (attached), or not known yet (a command) */
    double budget_seconds;   /* that all runs may last; 0: any time */
    uint64_t rotation_ns;    /* the PMU's perf_event_mux_interval; 0: 4 ms */
    bool has_topdown_fields; /* PERF_METRICS: a read is exact to 1/255, and wants to be taken every few seconds */
    bool control_is_free;    /* the control's events fit beside every group (companions) */
    uint64_t interval_ns;    /* a watch is to be shown in intervals of this: all groups count in each; 0: in none */
};

struct pass_plan {
    enum pass_way way;
    enum pass_control control; /* of PASS_RUNS and PASS_SLICES */
    size_t runs;               /* of the command */
    uint64_t slice_ns;         /* PASS_SLICES: for each group in turn */
    /* counters are read this often; with interval_ns no sooner than all groups had some turns */
    uint64_t read_ns;
    /* how long a run must last so that one is enough for all groups; a watch: the shortest */
    double needed_seconds;
    size_t groups_possible;    /* PASS_REFUSED: so many, the first ones, fit the time */
    char why[200];             /* one sentence, for the user */
};

void pass_plan_make(struct pass_plan *plan, const struct pass_question *question);

/*
 * The order in which the groups have their slices in this round: another one in each, so that a program whose phases
 * last as long as a round doesn't show each group the same phase. A function of seed and round alone. ret_order:
 * group_count places.
 */
void pass_slice_order(uint64_t seed, size_t round, size_t group_count, uint32_t *ret_order);

#endif
