/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does the mix of hot code change?
 *
 * Binary segmentation of the samples in time order: a cut is kept when both sides differ in their mix of
 * keys (symbols) by more than chance (likelihood ratio of two multinomials) and by enough to matter (total
 * variation distance). Segments alike in mix share a phase, so a program that alternates has two phases and
 * many segments.
 * Does not support: phases shorter than 3 % of the span or than 30 samples.
 */
#ifndef PLUMB_ANALYSE_TIME_PHASES_H
#define PLUMB_ANALYSE_TIME_PHASES_H

#include "base/arena.h"

#include <stdbool.h>

struct phase_sample {
    uint64_t time_ns;
    uint32_t key; /* any stable id of what was running; SYMBOL_NONE is a key like others */
    double weight;
};

struct phase_segment {
    uint64_t start_ns, end_ns;
    size_t first, count; /* samples, in the order given */
    uint32_t phase;
};

struct phases {
    struct phase_segment *segments; /* by time; owner: arena */
    size_t segment_count;
    uint32_t phase_count; /* 1: no change was found */
};

/* samples sorted by time. */
struct phases phases_find(const struct phase_sample *samples, size_t count, struct arena *arena);

#endif
