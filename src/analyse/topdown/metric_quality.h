/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far may a metric's printed value be from the true one, and does that decide anything?
 *
 * What makes a value uncertain: counters that others used for part of the time (unseen time), PERF_METRICS' steps of
 * 1/255 of the slots, and, when it is said of the program rather than of the run measured, the spread between runs.
 * Windows in which all was counted leave only the steps: such a value is exact for its run.
 * The variance over windows is the weighted jackknife's, so that any formula has one: the caller computes the metric
 * with one window left out. Parts counted in different groups have windows of their own.
 * Does not support: how well a formula describes the processor (fixed latencies are the table's estimate); a program
 * whose phases follow the rotation of groups; multiplicity.
 * Sources: Tukey's jackknife for ratios (Cochran, Sampling Techniques, 6), with the finite population's factor.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_METRIC_QUALITY_H
#define PLUMB_ANALYSE_TOPDOWN_METRIC_QUALITY_H

#include "base/measured.h"
#include "statistics/interval.h"

/* What is to be said beside a value; bits. */
enum quality_mark {
    QUALITY_SCALED = 1 << 0,      /* counted for part of the time */
    QUALITY_ACROSS = 1 << 1,      /* numerator and denominator are of different times */
    QUALITY_SPLIT = 1 << 2,       /* its terms are of different times, each a ratio of its own */
    QUALITY_ESTIMATE = 1 << 3,    /* with fixed latencies */
    QUALITY_STEPS = 1 << 4,       /* no finer than PERF_METRICS' steps */
    QUALITY_ONE_WINDOW = 1 << 5,  /* no interval can be had */
    QUALITY_ABOUT_ZERO = 1 << 6,  /* a little below 0: shown as 0.0 with a tilde */
    QUALITY_SUSPECT = 1 << 7,     /* below -5 % or above 105 % of its whole: shown, decides nothing */
    QUALITY_DEFAULT_LATENCY = 1 << 8, /* with a published latency where none was sampled */
};

/* The windows (reads) of one group that the metric takes events from. */
struct quality_part {
    size_t window_count; /* those in which the group was on the counters at all */
    double seen;         /* time on the counters / time of the target: 0 … 1 */
};

enum { QUALITY_NOTHING_LEFT_OUT = -1 };

struct quality_question {
    /* The metric's value without window `left_out` of `part` (part NOTHING_LEFT_OUT: with all). */
    struct measured (*value)(void *context, int part, size_t left_out);
    void *context;
    const struct quality_part *parts;
    size_t part_count;
    /* sum over PERF_METRICS fields of |change of the value per change of the field's share|; 0: none */
    double step_weight;
    size_t step_reads;   /* reads that these shares are the mean of */
    /* relative standard deviation between runs that the control showed; 0: not said of other runs */
    double run_spread;
    double run_freedom;  /* with so many degrees of freedom: passes - 1 */
    /*
     * How far the value moves when each of its counts differs by this share, added up as independent: a difference of
     * two large counts moves by more than its own share. NULL: by its own share.
     */
    double (*moves)(void *context, double share);
    unsigned marks;      /* that the caller knows: ACROSS, SPLIT, ESTIMATE */
    bool is_share;       /* of a whole: 0 … 1, and beyond is suspect */
};

struct metric_quality {
    struct measured value;    /* raw: nothing is clamped */
    struct interval interval; /* 95 %; unknown: one window, or nothing measured */
    double seen;              /* of the part that was seen least; 1 when all was counted */
    size_t windows;           /* of the part with the fewest */
    unsigned marks;
};

void metric_quality_find(struct metric_quality *quality, const struct quality_question *question);

/* The simplest metric: one group's numerator over its denominator. */
struct ratio_window {
    double numerator, denominator;   /* raw counts of this window */
    uint64_t enabled_ns, running_ns; /* likewise; running 0: not on the counters, left out */
};

struct ratio_question {
    const struct ratio_window *windows;
    size_t window_count;
    double factor;       /* value = factor * numerator / denominator */
    unsigned fields;     /* how many PERF_METRICS fields the numerator is the sum of; 0: plain counts */
    double run_spread, run_freedom; /* as above */
    bool is_share;
};

void ratio_quality_find(struct metric_quality *quality, const struct ratio_question *question);

/* ---- decisions --------------------------------------------------------------------------------------------- */

enum decision { DECISION_NO, DECISION_UNDECIDED, DECISION_YES };

enum threshold_side { THRESHOLD_ABOVE, THRESHOLD_BELOW };

/*
 * Flagged when the whole interval lies beyond the threshold, not when none of it does. Suspect or without interval:
 * undecided.
 */
enum decision threshold_decide(const struct metric_quality *quality, double threshold, enum threshold_side side);
/* Kleene's: "& P" of thresholds, "or Heavy_Operations > 10". */
enum decision decision_and(enum decision a, enum decision b);
enum decision decision_or(enum decision a, enum decision b);

#endif
