/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do both commands do the same work, and the same in every run, as far as one can see from outside?
 *
 * Seen are bytes read and written, calls for that, and instructions where they are counted. The same of all is no
 * proof of equal work; far more of one is a reason to ask. Does not look at what was written.
 */
#ifndef PLUMB_ANALYSE_RUNS_WORK_DONE_H
#define PLUMB_ANALYSE_RUNS_WORK_DONE_H

#include "analyse/runs/comparison.h"

enum {
    WORK_SIGNS_MOST = 8
};

struct work_sign {
    const struct quantity_effect *effect;
    bool is_unequal; /* B surely has another amount than A; else one of them varies from run to run */
    bool varies_in_b;
};

struct work_done {
    struct work_sign signs[WORK_SIGNS_MOST];
    size_t count;
};

void work_done_judge(struct work_done *work, const struct comparison *comparison);

#endif
