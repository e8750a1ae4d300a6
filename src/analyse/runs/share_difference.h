/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rows of a profile have another share of one set of recordings than of another, by more than chance?
 *
 * Samples of one run hang together (what is on the CPU now is there in a millisecond), so that counting them as
 * independent would call too much real. Several recordings of a side vary by themselves: their spread is used, with
 * Student's t. One alone says only how its share changed from slice to slice of its time: the linearised variance of a
 * ratio over those slices, at least that of independent samples; what another run would do it can't say. A side of one
 * recording beside one of several is given their spread where that is larger.
 * Rows of at least SHARE_TEST_LEAST of both sides' mean are judged, a choice that doesn't look at differences, and the
 * false discovery rate is kept among them. Sources: Cochran, "Sampling Techniques", 6.4 (ratio); Welch 1947; Benjamini
 * & Hochberg 1995.
 */
#ifndef PLUMB_ANALYSE_RUNS_SHARE_DIFFERENCE_H
#define PLUMB_ANALYSE_RUNS_SHARE_DIFFERENCE_H

#include "analyse/runs/share_slices.h"
#include "base/arena.h"
#include "statistics/interval.h"

#define SHARE_TEST_LEAST 0.005
#define SHARE_REAL_RATE  0.05 /* rows at most at this false discovery rate are called real */

struct share_cell {
    uint32_t name, run;
    uint64_t samples;
    double weight[SLICES_MOST];
};

struct share_run {
    bool is_b;
    size_t slice_count;
    uint64_t samples;
    double weight, slice_weight[SLICES_MOST];
};

struct share_side {
    size_t runs;
    double share;        /* mean over the runs */
    double weight;       /* mean of a run */
    uint64_t samples;    /* of all runs */
};

struct share_row {
    const char *name;           /* columns, parted by SHARE_COLUMN_SEPARATOR; owner: the struct */
    struct share_side a, b;
    struct interval difference; /* b.share - a.share, 95 %; unknown with too few samples */
    bool is_test;
    double p, q;                /* of "no difference"; as a rate of false discoveries. 1 unless is_test */
};

#define SHARE_COLUMN_SEPARATOR '\n'

struct share_difference {
    struct arena arena;
    struct strings names;
    struct share_cell *cells;
    size_t count, capacity;
    struct share_run *runs;
    size_t run_count, run_capacity;
    struct share_row *rows; /* largest difference first */
    size_t row_count;
    size_t test_count;
    bool too_few_samples;   /* no interval could be had */
    bool between_runs;      /* spread: of several recordings a side, not of one's slices */
};

void share_difference_init(struct share_difference *difference);
void share_difference_done(struct share_difference *difference);
/* A further recording of a side; slices: into how many its time was cut. */
void share_difference_run(struct share_difference *difference, bool is_b, size_t slices);
/* Of the recording that was added last. What several rows of one name add is one row. */
void share_difference_add(struct share_difference *difference, const char *name, const struct slice_row *row);
void share_difference_finish(struct share_difference *difference);
/* Whether the row's difference is more than chance. */
bool share_row_is_real(const struct share_row *row);

#endif
