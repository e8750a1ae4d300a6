/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When did it run what? Samples of CPU time in equal slices of the run, by the functions that have most of them, the
 * kernel, and all the rest: what a timeline draws.
 */
#ifndef PLUMB_ANALYSE_TIME_TIMELINE_H
#define PLUMB_ANALYSE_TIME_TIMELINE_H

#include "symbol/code_bundle.h"

enum {
    TIMELINE_FUNCTIONS_MOST = 6,
    TIMELINE_SERIES_MOST = TIMELINE_FUNCTIONS_MOST + 2,
    TIMELINE_SLICES = 120,
};

struct timeline {
    const char *series[TIMELINE_SERIES_MOST]; /* functions, most samples first; then "kernel", "everything else" */
    size_t function_count, series_count;
    uint64_t samples[TIMELINE_SLICES][TIMELINE_SERIES_MOST];
    size_t slice_count; /* 0: too few samples to draw */
    double until_s;     /* since the first sample */
};

/* Owner of names: the bundle. */
void timeline_find(struct timeline *timeline, const struct recording *recording, const struct code_bundle *bundle,
                   struct arena *arena);

#endif
