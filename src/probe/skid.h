/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a timer sample land after a stalled load: on it, exactly one instruction behind it, or anywhere?
 *
 * Our own pointer chase over memory far beyond the caches stalls at one known load. If at least 90 % of its
 * cpu-clock samples hit the instruction behind the load, attribution "the instruction before the sampled one
 * stalled" holds on this machine (kernel, hypervisor, CPU); else it is refused.
 * Does not support: events of a hardware PMU (their skid is the event's own).
 */
#ifndef PLUMB_PROBE_SKID_H
#define PLUMB_PROBE_SKID_H

#include "base/error.h"
#include "statistics/interval.h"
#include "system/kernel.h"

enum skid_verdict {
    SKID_UNKNOWN,  /* not measured: too few samples, or no event */
    SKID_EXACT,    /* samples land on the stalled instruction */
    SKID_ONE,      /* samples land one instruction behind it */
    SKID_SCATTERED /* neither: no stall attribution */
};

struct skid_result {
    enum skid_verdict verdict;
    uint64_t on_load, behind_load, elsewhere; /* samples */
    struct interval behind_ratio;             /* share one behind, Wilson */
};

/* Takes about 0.15 s. Errors: what perf_event_open says; ERROR_UNSUPPORTED on other architectures. */
MUST_CHECK bool skid_measure(const struct kernel *kernel, struct skid_result *ret_result, struct error *err);

#endif
