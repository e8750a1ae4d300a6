/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What could a machine do at one moment: its clock, what a core issues and computes a cycle, how long memory takes by
 * working set and page size, how much it moves, what a wrong guess and a way out to the hypervisor cost?
 *
 * The plain result of probe/calibration, as a document too (the cache, the part of a case). Every figure is a median
 * with quartiles: on a shared machine the ceilings themselves move by a factor of two within minutes, and a figure
 * without its spread would mislead. It stands here so that probe/, analyse/, finding/ and render/ may all see it.
 */
#ifndef PLUMB_STATISTICS_CALIBRATION_H
#define PLUMB_STATISTICS_CALIBRATION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "base/measured.h"
#include "statistics/interval.h"

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
    /*
     * Of the clock behind scalar code, the share left right behind 1 ms of vectors: multiply-adds are heavy, additions
     * of integers light. Blocks in pairs, on one CPU.
     */
    CALIBRATION_CLOCK_HEAVY_256,
    CALIBRATION_CLOCK_LIGHT_512,
    CALIBRATION_CLOCK_HEAVY_512,
    CALIBRATION_FIGURES
};

const char *calibration_figure_key(enum calibration_figure figure); /* "clock_hz": its member in JSON */

struct calibration_value {
    struct interval value; /* median with quartiles */
    const char *why_not;   /* when the interval isn't known */
};

/* Of two figures: where noise alone may be all of it, it isn't measured. */
struct calibration_value calibration_resolved(struct interval difference);

struct calibration_step { /* of the latency curve */
    size_t bytes;
    struct calibration_value on_4k, on_2m; /* nanoseconds a load */
};

struct calibration_cpu { /* one CPU by itself */
    uint32_t cpu;
    struct interval clock_hz, issue; /* issue: instructions a cycle */
};

enum {
    CALIBRATION_STEPS_MOST = 10,
    CALIBRATION_CPUS_MOST = 64
};

struct calibration {
    struct calibration_value figures[CALIBRATION_FIGURES];
    struct calibration_step steps[CALIBRATION_STEPS_MOST]; /* working sets rise */
    size_t step_count;
    uint32_t issue_slots;     /* of this microarchitecture, by the table; 0: not tabled */
    struct interval share;    /* of its issue width that a core gave us, 0..1; unknown without issue_slots */
    struct calibration_cpu cpus[CALIBRATION_CPUS_MOST]; /* of those measured on, the first; 0: not told apart */
    size_t cpu_count;
    const char *cpu_list;     /* "0-3,8": where it was measured; NULL: not said */
    double taken_at_s;        /* since 1970; 0: not said */
    double elapsed_s;
    struct measured rounds_ratio; /* of those planned, as many as there was time for while others held the CPUs */
    struct measured waited_ratio; /* of elapsed_s, it was ready and others ran on its CPUs */
};

/* Below this share of its issue width a core is called shared: kernels of our own reach 0.97 alone. */
#define CALIBRATION_SHARED_BELOW 0.85

/* The figure, unknown when it was not measured or calibration is NULL. */
struct interval calibration_figure(const struct calibration *calibration, enum calibration_figure figure);
/*
 * Nanoseconds of a dependent load over so large a working set: between the curve's steps by the logarithm of the size,
 * beyond its ends those of the end. Unknown where the curve has no step on such pages.
 */
struct interval calibration_latency_ns(const struct calibration *calibration, double bytes, bool on_huge_pages);
/* Whether two CPUs' clocks or issue rates differ by more than their spread and a twentieth. */
bool calibration_cpus_differ(const struct calibration *calibration);

/* The members alone, into an object that is open. */
void calibration_members(const struct calibration *calibration, struct json_writer *json);
/*
 * Of such an object. A figure that is missing or impossible (negative, its bounds out of order) isn't known; what can't
 * be a calibration at all is an error. Errors: ERROR_FORMAT. Owner of strings: arena.
 */
MUST_CHECK bool calibration_read(struct calibration *calibration, struct json_value object, struct arena *arena,
                                 struct error *err);

#endif
