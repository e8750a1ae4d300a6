/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which runs of perf stat collect what these metrics need?
 *
 * One run for each group of the schedule, so that every ratio is of one run; then one for what stands outside of
 * groups. Slots and PERF_METRICS are written by the kernel's names: where the kernel hides them, perf refuses instead
 * of opening what has crashed guests. All else is encoded, so that a perf without tables for the CPU takes it.
 * Does not support: latencies of retirement (perf samples them from 6.14 on; the published means stand for them).
 */
#ifndef PLUMB_METRIC_SCHEDULE_PERF_COMMAND_H
#define PLUMB_METRIC_SCHEDULE_PERF_COMMAND_H

#include "metric/schedule/schedule.h"
#include "metric/table/table.h"

struct perf_run {
    const uint32_t *terms;
    const char **events;   /* as perf spells each of them */
    size_t event_count;
    bool is_group;         /* to be counted together */
    bool everywhere;       /* counted for the whole machine only (-a): memory controllers, power */
    bool whole_cores;      /* counts a core's both threads, which takes privilege */
    bool has_topdown_fields;
    const uint32_t *metrics; /* the first run that each of them is complete in */
    size_t metric_count;
};

struct perf_plan {
    const struct perf_run *runs;
    size_t run_count;
    struct {
        uint32_t metric;
        const char *why;
    } *missing;            /* metrics that can't be had, wholly or as they should */
    size_t missing_count;
    bool wants_revision;   /* a formula asks for the CPU's own */
    bool wants[TABLE_CONSTANT_COUNT]; /* constants that formulas need and no run tells */
};

struct perf_question {
    const struct metric_table *table;
    const uint32_t *metrics;
    size_t metric_count;
    const struct schedule_pmu *pmu;
    const char *core_pmu;       /* "cpu" */
    struct measured smt;        /* 1 or 0; not known: events of both branches are counted */
};

/* Errors: of schedule_build. Owner of all: arena. */
MUST_CHECK bool perf_plan_make(struct perf_plan *plan, const struct perf_question *question, struct arena *arena,
                               struct error *err);

#endif
