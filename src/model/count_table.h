/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was counted in one window of time: a row per event, in it a cell per place (CPU, thread) where the event
 * was open. Plain data, as counting or a replay fills it.
 */
#ifndef PLUMB_MODEL_COUNT_TABLE_H
#define PLUMB_MODEL_COUNT_TABLE_H

#include "model/counts.h"

#include <stdbool.h>
#include <sys/types.h>

/* What an event means to others: the ratios beside the counts need to find each other. */
enum count_role {
    ROLE_OTHER,
    ROLE_CLOCK, /* task-clock, cpu-clock: nanoseconds on a CPU */
    ROLE_CYCLES,
    ROLE_INSTRUCTIONS,
    ROLE_CACHE_REFERENCES,
    ROLE_CACHE_MISSES,
    ROLE_BRANCHES,
    ROLE_BRANCH_MISSES,
    ROLE_STALLED_FRONTEND,
    ROLE_STALLED_BACKEND,
    ROLE_L1D_LOADS,
    ROLE_L1D_LOAD_MISSES,
    ROLE_L1I_LOADS,
    ROLE_L1I_LOAD_MISSES,
    ROLE_LLC_LOADS,
    ROLE_LLC_LOAD_MISSES,
    ROLE_DTLB_LOADS,
    ROLE_DTLB_LOAD_MISSES,
    ROLE_ITLB_LOADS,
    ROLE_ITLB_LOAD_MISSES,
    COUNT_ROLE_COUNT
};

struct count_cell {
    int cpu;    /* -1: whichever */
    int thread; /* index in the table's threads; -1: not of one thread */
    struct reading reading;
};

struct count_row {
    const char *event;
    const char *unit;    /* of value * scale; NULL: none */
    double scale;
    const char *cgroup;  /* NULL: none asked */
    const char *pmu;     /* sysfs name, or NULL */
    enum count_role role;
    unsigned excluded;   /* bit set of what isn't counted (user, kernel, …): only equal ones are compared */
    size_t group;        /* equal for events that were counted at the same time */
    size_t merged_with;  /* row under whose name this one is summed (one event on several PMUs); its own if none */
    struct count_cell *cells;
    size_t cell_count;
};

struct count_thread {
    pid_t tid;
    const char *comm;
};

struct count_table {
    struct count_row *rows;
    size_t row_count;
    const struct count_thread *threads;
    size_t thread_count;
    uint64_t start_ns, end_ns; /* of the window, since counting began */
};

#endif
