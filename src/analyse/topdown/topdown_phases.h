/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When did the program change what it is bound by?
 *
 * Change points over windows: a cut is kept where the shares of both sides differ by more than chance and by enough to
 * matter. Segments alike share a phase. The first segments are warm-up (loading, first touches) when they fault pages
 * at several times the rate of the rest and come never again.
 * Does not support: phases shorter than three windows.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_TOPDOWN_PHASES_H
#define PLUMB_ANALYSE_TOPDOWN_TOPDOWN_PHASES_H

#include "base/arena.h"
#include "base/measured.h"

#include <stddef.h>
#include <stdint.h>

enum { TOPDOWN_PHASE_VALUES = 8 };

struct phase_window {
    uint64_t start_ns, end_ns;
    double values[TOPDOWN_PHASE_VALUES]; /* shares, 0 … 1 */
    struct measured faults;              /* page faults in it */
};

struct topdown_segment {
    size_t first, count; /* windows */
    unsigned phase;      /* alike segments have the same */
    bool is_warmup;
};

struct topdown_phases {
    struct topdown_segment *segments; /* by time; owner: arena */
    size_t segment_count;
    unsigned phase_count; /* 1: no change was found */
};

void topdown_phases_find(struct topdown_phases *phases, const struct phase_window *windows, size_t count,
                         size_t value_count, struct arena *arena);

#endif
