/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which events are counted together, so that every ratio is of one and the same time, in the fewest groups?
 *
 * In: events with what they ask of a PMU, metrics as sets of events, PMUs. Out: groups that fit (counter_match.h, the
 * registers' limits, slots leading PERF_METRICS) and, for each metric, the group that has all its events. A metric too
 * large for any group is computed from parts, and says so: SCHEDULE_SPLIT when its terms are each a ratio of one group,
 * SCHEDULE_ACROSS when not even that. What can't be counted at all is refused with a reason; the others stand.
 * The same input gives the same schedule. Events that take no general or fixed counter (software, msr, uncore, TSC) are
 * SCHEDULE_OUTSIDE: always countable, in no group.
 * Does not support: other PMUs' limits than counters and registers; precise_ip's own counters; mem-loads-aux.
 */
#ifndef PLUMB_METRIC_SCHEDULE_SCHEDULE_H
#define PLUMB_METRIC_SCHEDULE_SCHEDULE_H

#include "base/arena.h"
#include "base/error.h"
#include "metric/schedule/schedule_pmu.h"

enum schedule_kind {
    SCHEDULE_COUNTER,
    SCHEDULE_SLOTS,   /* leads its group */
    SCHEDULE_TOPDOWN, /* a field of PERF_METRICS: no counter, but slots must lead its group */
    SCHEDULE_OUTSIDE,
};

struct schedule_event {
    const char *name;
    enum schedule_kind kind;
    unsigned pmu;      /* index in the request's PMUs */
    uint32_t counters; /* bit n: general counter n will do */
    uint32_t fixed;    /* bit n: fixed counter n will do */
    unsigned field;    /* SCHEDULE_TOPDOWN: which of PERF_METRICS: 0 … 7 */
    enum schedule_register needs; /* and the value it must have */
    uint64_t register_value;
    bool alone;        /* samples only while no other such event does */
    bool pair;         /* takes an even counter and its neighbour */
    bool whole_core;   /* counts both threads of the core (any-thread) */
};

struct schedule_set {
    const uint32_t *events; /* indices */
    size_t count;
};

struct schedule_metric {
    const char *name;
    struct schedule_set events;
    /* addends that are each a ratio of their own, denominator included; NULL: not known */
    const struct schedule_set *terms;
    size_t term_count;
    bool apart; /* its tables say that its events may not share a group */
};

struct schedule_request {
    const struct schedule_event *events;
    size_t event_count;
    const struct schedule_metric *metrics;
    size_t metric_count;
    const struct schedule_pmu *pmus;
    size_t pmu_count;
    struct schedule_set companions; /* counted in each group of their PMU that has room for them: controls */
    bool samples;                   /* `alone` holds: when the events are to be sampled */
};

struct schedule_group {
    unsigned pmu;
    uint32_t *events;   /* in the order of opening: slots, its topdown fields, the others */
    unsigned *counters; /* as counter_match.h numbers them; of a topdown field: none, UINT_MAX */
    size_t count;
};

enum schedule_fit {
    SCHEDULE_TOGETHER, /* groups[0] has all of it */
    SCHEDULE_SPLIT,    /* groups[t] has term t */
    SCHEDULE_ACROSS,   /* groups[] have parts of it, each with the metric's fixed-counter events */
    SCHEDULE_REFUSED
};

struct schedule_place {
    enum schedule_fit fit;
    uint32_t *groups;
    size_t group_count; /* 0: refused, or all its events stand outside */
    const char *why;    /* NULL when TOGETHER */
};

struct schedule {
    struct schedule_group *groups;
    size_t group_count;
    struct schedule_place *places; /* one for each metric */
    size_t fewest;                 /* no schedule of these parts has fewer groups: == group_count is proven */
};

enum { SCHEDULE_EVENTS_MOST = 1024 };

/* Errors: ERROR_LIMIT (more than SCHEDULE_EVENTS_MOST events). Owner of all: arena. */
MUST_CHECK bool schedule_build(struct schedule *schedule, const struct schedule_request *request, struct arena *arena,
                               struct error *err);

/* Whether these events can be one group. */
bool schedule_fits(const struct schedule_request *request, struct schedule_set events);

#endif
