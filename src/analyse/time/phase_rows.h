/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The phases of a run as rows: from when to when, how much of the samples, and which functions; and each phase's
 * stretches as one.
 */
#ifndef PLUMB_ANALYSE_TIME_PHASE_ROWS_H
#define PLUMB_ANALYSE_TIME_PHASE_ROWS_H

#include "symbol/code_bundle.h"

#define PHASE_FUNCTIONS_MOST 3
#define PHASE_ROWS_MOST      33 /* each has 3 % of the samples at least (phases.h) */
#define PHASES_JUDGED_MOST   8

struct phase_function {
    const char *name;
    double share; /* of the segment's samples */
};

struct phase_row { /* one segment of time; segments of equal number have the same mix */
    double from_s, until_s; /* since the first sample */
    uint64_t start_ns, end_ns; /* the same as samples have it */
    uint32_t phase;
    uint64_t samples;
    struct phase_function functions[PHASE_FUNCTIONS_MOST];
    size_t function_count;
};

/* All stretches of one phase together. */
struct phase_whole {
    uint32_t phase;
    uint64_t samples;
    double seconds;
    size_t stretches;
    struct phase_function functions[PHASE_FUNCTIONS_MOST]; /* shares: of its samples */
    size_t function_count;
};

struct phase_rows {
    struct phase_row items[PHASE_ROWS_MOST];
    size_t count;         /* 0: no samples; 1: no change was found */
    uint32_t phase_count;
    /* phases worth a verdict of their own, by number; none where there is one phase */
    struct phase_whole judged[PHASES_JUDGED_MOST];
    size_t judged_count;
};

/* Whether that time lies within one of the phase's stretches. */
bool phase_rows_hold(const struct phase_rows *rows, uint32_t phase, uint64_t start_ns, uint64_t end_ns);

struct phase_rows phase_rows_of(const struct recording *recording, const struct code_bundle *bundle,
                                struct arena *arena);

#endif
