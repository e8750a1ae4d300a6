/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is each metric's value, how far may it be off, and is it beyond its threshold, given what groups of events
 * counted?
 *
 * A metric is computed from the one group that holds all its events. Where there is none, from parts: counts of other
 * groups are brought to the first one's time by an event that all have (cycles), and the value is marked as of
 * different times. Metrics that nobody asked for are computed where one group has by chance all they need.
 * A threshold is decided on the intervals of all values that it speaks of: flagged when it holds at every corner of
 * them, not flagged when at none.
 * Does not support: what a published formula leaves open (fixed latencies: marked as estimates).
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_TOPDOWN_VALUES_H
#define PLUMB_ANALYSE_TOPDOWN_TOPDOWN_VALUES_H

#include "analyse/topdown/metric_quality.h"
#include "base/arena.h"
#include "metric/schedule/group_window.h"
#include "metric/table/table.h"

/* What one group counted in one pass. */
struct metric_group {
    const uint32_t *terms; /* of the table, in the order of the windows' counts */
    size_t term_count;
    const struct group_window *windows;
    size_t window_count;
    const char *const *refused; /* of each term: why it wasn't counted, or NULL; NULL: all were */
    size_t pass;
};

struct metric_place {
    const uint32_t *groups; /* of the request's */
    size_t group_count;     /* 0: nobody asked for it */
    const char *why_not;    /* it was asked for, and can't be counted */
};

struct topdown_values_request {
    const struct metric_table *table;
    const struct metric_group *groups;
    size_t group_count;
    const struct metric_place *places;  /* of each metric */
    const struct measured *constants;   /* TABLE_CONSTANT_COUNT; seconds are the windows' */
    const char *cpu_id;                 /* or NULL */
    uint32_t cycles;                    /* the term that all groups have, or TABLE_NONE */
    double run_spread, run_freedom;     /* between passes: metric_quality.h */
    /* of each metric that passes had and don't agree on: from where to where; else unknown; NULL: none */
    const struct interval *ranges;
};

/* Shape: one of each metric of the table. */
struct topdown_values {
    struct metric_quality *qualities;
    enum decision *decisions; /* UNDECIDED also where there is no threshold */
    /* what to say of shares that it leaves open: passes had different ones; NULL: they agree */
    const char *contradiction;
};

/* Owner: arena. */
void topdown_values_find(struct topdown_values *ret_values, const struct topdown_values_request *request,
                         struct arena *arena);

/* One metric in one group, whatever its place is: a control. */
struct measured metric_group_value(const struct topdown_values_request *request, uint32_t metric,
                                   const struct metric_group *group, struct arena *arena);
/* The group's sum of one term over all its windows, each scaled to all of its time. */
struct measured metric_group_count(const struct metric_group *group, uint32_t term);

#endif
