/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which functions, instructions or vector widths does the time go that B takes more than A?
 *
 * From profiles of paired runs: seconds by function (or what else is called by a name) and run. One that a run never
 * sampled took 0 s there, as far as its samples tell. Functions are the same when name and file name are: two builds in
 * different folders compare. Which of the differences are more than chance is judged among the rows that take a
 * hundredth of the time of both together: the choice doesn't look at differences, so that the rate of false discoveries
 * holds.
 */
#ifndef PLUMB_ANALYSE_RUNS_PROFILE_DIFFERENCE_H
#define PLUMB_ANALYSE_RUNS_PROFILE_DIFFERENCE_H

#include "base/arena.h"
#include "base/hashmap.h"
#include "statistics/interval.h"

struct profile_cell {
    uint32_t name; /* in names */
    size_t block;
    bool is_b;
    double seconds;
};

struct profile_row {
    const char *function, *dso; /* file name; owner: the struct */
    struct interval a_s, b_s;        /* medians with quartiles, seconds a run */
    struct interval difference_s;    /* B - A, 95 %; unknown with too few blocks */
    double mean_difference_s;        /* these add up to the whole's */
    bool is_test;                    /* large enough to be judged */
    double p, q;                     /* of "no difference"; as a rate of false discoveries. 1 unless is_test */
};

struct profile_difference {
    struct arena arena;
    struct strings names;
    struct profile_cell *cells;
    size_t count, capacity;
    size_t block_count;
    struct profile_row *rows; /* largest mean difference first */
    size_t row_count;
    double mean_difference_s; /* of all functions together */
};

void profile_difference_init(struct profile_difference *difference);
void profile_difference_done(struct profile_difference *difference);
/* dso: a path, of which the last part counts. */
void profile_difference_add(struct profile_difference *difference, size_t block, bool is_b, const char *function,
                            const char *dso, double seconds);
/* After the last: fills rows. block_count: complete blocks; what was added of later ones doesn't count. */
void profile_difference_finish(struct profile_difference *difference, size_t block_count);

#endif
