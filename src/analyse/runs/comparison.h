/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is B faster than A, slower, the same within a margin, or is the evidence not enough? And what else differs?
 *
 * Works on a table of paired runs (those of one block are a pair), or of saved ones that are no pairs. A decision is
 * made on the interval of the ratio of one quantity, never on the estimate; the other quantities are ranked by how
 * surely they differ, with the rate of false discoveries among them held.
 */
#ifndef PLUMB_ANALYSE_RUNS_COMPARISON_H
#define PLUMB_ANALYSE_RUNS_COMPARISON_H

#include "statistics/interval.h"
#include "statistics/run_table.h"

enum comparison_verdict {
    COMPARISON_FASTER,     /* B takes less: the interval lies below 1 */
    COMPARISON_SLOWER,     /* B takes more */
    COMPARISON_EQUIVALENT, /* the interval lies within 1 ± effect */
    COMPARISON_UNDECIDED   /* it holds both 1 and more than the effect, pairs are too few, or it is lost in noise */
};

/* Smallest pair count that is judged. */
#define COMPARISON_PAIRS_LEAST 6

/* One quantity of B against the same of A. */
struct quantity_effect {
    const struct run_quantity *quantity;
    const char *why_not;        /* NULL: it was measured */
    size_t pair_count;          /* of runs that aren't paired: those of the arm that has fewer */
    struct interval a, b;       /* medians with quartiles */
    /* B / A at 1 - effects_alpha; unknown when a value isn't positive, or with too few pairs */
    struct interval ratio;
    struct interval difference; /* B - A likewise; unknown with too few pairs */
    bool lost_in_noise;         /* A differs from itself, and B no further from A */
    double p;                   /* of "no difference" */
    double q;                   /* the same, as a rate of false discoveries among all quantities */
};

struct comparison_request {
    size_t a, b;         /* arms */
    size_t again;        /* the arm that runs A a second time, or SIZE_MAX */
    size_t quantity;     /* what decides */
    double effect_ratio; /* what counts as a difference, 0..1 */
    double alpha;        /* the interval's level is 1 - alpha */
    double effects_alpha; /* the same for the other quantities, and for the decisive one as one of them */
    bool unpaired;       /* the arms' runs were not made in pairs: saved ones */
};

struct comparison {
    struct comparison_request request;
    const struct run_arm *a, *b;
    struct quantity_effect decisive;
    struct interval ratio; /* B / A at 1 - alpha; the range, when too_few_pairs */
    enum comparison_verdict verdict;
    bool too_few_pairs;
    size_t pairs_least;    /* so many give an interval at that level */
    struct interval noise_floor; /* A again / A, 95 %; unknown unless A ran twice in each block */
    bool self_differs;     /* the noise floor excludes 1 */
    bool lost_in_noise;    /* A differs from itself, and B no further from A */
    double detectable;     /* the smallest |ratio - 1| that as many pairs would show; 0 when unknown */
    double pairs_needed;   /* to show a difference of effect_ratio; 0 when unknown */
    /* to show one as large as the middle of the interval; 0 when that is less than effect_ratio */
    double pairs_for_seen;
    struct quantity_effect *effects; /* the others, by q, then by size of the effect; owner: arena */
    size_t effect_count;
};

void comparison_make(struct comparison *comparison, const struct run_table *table,
                     const struct comparison_request *request, struct arena *arena);

#endif
