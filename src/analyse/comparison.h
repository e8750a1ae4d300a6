/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is B faster than A, slower, the same within a margin, or is the evidence not enough?
 *
 * Works on paired measurements (runs of one block are a pair). A decision is made on the 95 % interval of
 * the ratio, never on the estimate.
 */
#ifndef PLUMB_ANALYSE_COMPARISON_H
#define PLUMB_ANALYSE_COMPARISON_H

#include "statistics/signed_rank.h"

enum comparison_verdict {
    COMPARISON_FASTER,     /* B takes less: the interval lies below 1 */
    COMPARISON_SLOWER,     /* B takes more */
    COMPARISON_EQUIVALENT, /* the interval lies within 1 ± effect */
    COMPARISON_UNDECIDED   /* it holds both 1 and more than the effect, or there are too few pairs */
};

struct comparison {
    struct interval a_s, b_s; /* medians with quartiles, seconds */
    struct interval ratio;    /* B / A, 95 % */
    size_t pair_count;
    double effect_ratio;      /* what counts as a difference, 0..1 */
    enum comparison_verdict verdict;
    bool too_few_pairs;       /* fewer than SIGNED_RANK_COUNT_LEAST: the interval is a range, not 95 % */
};

struct comparison comparison_of(const double *a_s, const double *b_s, size_t pair_count, double effect_ratio);

#endif
