/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can this machine do just now: its clock, what a core issues and computes a cycle, how long memory takes by
 * working set and page size, how much it moves, what a wrong guess and a way out to the hypervisor cost?
 *
 * Every figure is the median of slices that take turns in random order, with their quartiles: on a shared machine the
 * ceilings themselves move by a factor of two within minutes, and a figure without its spread would mislead.
 * Measured on the CPUs this process may use; single-core figures on whichever it runs on.
 */
#ifndef PLUMB_PROBE_CALIBRATION_CALIBRATION_H
#define PLUMB_PROBE_CALIBRATION_CALIBRATION_H

#include "statistics/interval.h"
#include "system/sysroot.h"

enum calibration_figure {
    CALIBRATION_CLOCK,       /* hertz */
    CALIBRATION_ISSUE,       /* instructions a cycle */
    CALIBRATION_FMA_128,     /* instructions a cycle */
    CALIBRATION_FMA_256,
    CALIBRATION_FMA_512,
    CALIBRATION_FMA_LATENCY, /* cycles */
    CALIBRATION_BRANCH_MISS, /* cycles */
    CALIBRATION_CPUID,       /* nanoseconds */
    CALIBRATION_READ_ONE,    /* bytes a second */
    CALIBRATION_WRITE_ONE,
    CALIBRATION_READ_ALL,
    CALIBRATION_PAGE_WALK,   /* nanoseconds a load on 4 KiB pages beyond one on 2 MiB pages, largest working set */
    CALIBRATION_FIGURES
};

struct calibration_value {
    struct interval value; /* median with quartiles */
    const char *why_not;   /* when the interval isn't known */
};

struct calibration_step { /* of the latency curve */
    size_t bytes;
    struct calibration_value on_4k, on_2m; /* nanoseconds a load */
};

enum {
    CALIBRATION_STEPS_MOST = 10
};

struct calibration {
    struct calibration_value figures[CALIBRATION_FIGURES];
    struct calibration_step steps[CALIBRATION_STEPS_MOST];
    size_t step_count;
    uint32_t issue_slots;     /* of this microarchitecture, by the table; 0: not tabled */
    struct interval share;    /* of its issue width that a core gave us, 0..1; unknown without issue_slots */
    double elapsed_s;
};

struct calibration_request {
    size_t largest_bytes;  /* working set: a power of two, 16 KiB to 1 GiB */
    uint32_t issue_slots;  /* from system/cpu/microarchitecture; 0: not tabled */
    uint64_t seed;
};

/* A part that can't be measured says so; nothing fails as a whole. */
void calibration_measure(struct calibration *calibration, const struct sysroot *root,
                         const struct calibration_request *request);

#endif
