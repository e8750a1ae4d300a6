/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many turns does a loop make a second of CPU time, how many cycles is that a turn, and how many would do? By
 * analyse/loop's rate (accepted only where two distances of samples agree), the clock calibrated beside the run, and
 * analyse/loop's bound. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_PACE_H
#define PLUMB_ANALYSE_BOTTLENECK_PACE_H

#include "analyse/bottleneck/region.h"
#include "analyse/loop/loop_bound.h"

struct pace {
    struct measured rate_per_s, measured_cycles, bytes_per_turn, extra_memory_trips;
    double over_bound;      /* measured against the bound, with the issue width that there was; 0: not known */
    double over_bound_most; /* at most that, also by a rate that isn't accepted; 0: not known */
};

struct pace pace_of(const struct bottleneck_request *request, const struct region *region,
                    const struct loop_bound *bound, struct arena *arena);

/*
 * CPU time of its thread at each sample of the recording, by the switch records; time of day where there are none.
 * Owner: arena.
 */
const uint64_t *sample_cpu_times(const struct recording *recording, struct arena *arena);

#endif
