/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How did a recording's samples spread over time, row by row? Its time is divided into slices, of equal length, whose
 * number stays between SLICES_MOST / 2 and SLICES_MOST as it goes on, so that memory grows with rows, not with samples.
 *
 * A sample before the first one's time counts in the first slice.
 */
#ifndef PLUMB_ANALYSE_RUNS_SHARE_SLICES_H
#define PLUMB_ANALYSE_RUNS_SHARE_SLICES_H

#include "base/hashmap.h"

#define SLICES_MOST 64

struct slice_row {
    uint32_t key;                /* what the caller calls it */
    uint64_t samples;
    double weight[SLICES_MOST];
};

struct share_slices {
    struct slice_row *items;
    size_t count, capacity;
    struct hashmap map;
    uint64_t first_ns, length_ns; /* of a slice; 0: no sample yet */
    size_t slice_count;           /* that time has come to */
};

void share_slices_done(struct share_slices *slices);
void share_slices_add(struct share_slices *slices, uint32_t key, uint64_t time_ns, double weight);

#endif
