/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can this machine do just now? Measures a struct calibration (statistics/calibration.h), without hardware
 * counters.
 *
 * Every figure is the median of slices that take turns in random order, with their quartiles. Measured on the CPUs this
 * process may use; single-core figures on whichever it runs on, in CPU time.
 * Each extent leaves out what moves little or costs much. A glimpse (0.5 ms) looks at one CPU's clock and issue rate
 * while somebody else works there.
 */
#ifndef PLUMB_PROBE_CALIBRATION_CALIBRATION_H
#define PLUMB_PROBE_CALIBRATION_CALIBRATION_H

#include "statistics/calibration.h"
#include "statistics/ceilings.h"
#include "system/cpu/microarchitecture.h"
#include "system/sysroot.h"

enum calibration_extent {
    CALIBRATION_FULL,
    /*
     * Some 80 ms, beside each run of a program: without branch misses, what all cores read together, the clock behind
     * wide vectors, and all but a few steps of the latency curve.
     */
    CALIBRATION_QUICK,
    CALIBRATION_SPARING, /* some 40 ms, beside a service that goes on: without multiply-adds, too */
    CALIBRATION_CORE     /* some 5 ms: clock and issue rate alone, no memory */
};

struct calibration_request {
    enum calibration_extent extent;
    size_t largest_bytes;  /* working set: a power of two, 16 KiB to 1 GiB; less than a full one has its own */
    const struct microarchitecture *core; /* how wide it issues, and what fills a slot; NULL: not known */
    uint64_t seed;
    bool (*stop)(void);    /* asked again and again: true ends it with what there is; NULL: never */
};

/* A part that can't be measured says so; nothing fails as a whole. cpu_list stays NULL: the caller knows it. */
void calibration_measure(struct calibration *calibration, const struct sysroot *root,
                         const struct calibration_request *request);

/*
 * The clock behind wide vectors alone (the last three figures), some 120 ms; on that CPU, where it can be had. Blocks
 * of 512-bit code lower the clock of the core, a neighbour's hardware thread included, until 0.7 ms later.
 */
void calibration_measure_licence(struct calibration *calibration, const uint32_t *cpu_or_null);

/*
 * Move this thread to a CPU, look at its clock and issue rate for about 0.5 ms of CPU time, move back. False: the CPU
 * can't be had, or nothing could be measured. at_s is the caller's.
 */
MUST_CHECK bool calibration_glimpse(uint32_t cpu, const struct microarchitecture *core_or_null,
                                    struct ceilings_glimpse *ret_glimpse);

#endif
