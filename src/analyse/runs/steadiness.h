/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Did the machine hold still while it was measured: did times drift, did neighbouring runs resemble each other?
 */
#ifndef PLUMB_ANALYSE_RUNS_STEADINESS_H
#define PLUMB_ANALYSE_RUNS_STEADINESS_H

#include "statistics/run_table.h"
#include "statistics/series.h"

struct steadiness {
    struct trend trend; /* of the logarithm of A's times over the blocks */
    struct resemblance resemblance;
    double spread;      /* quartile distance of A's times over their median; 0 when unknown */
};

void steadiness_judge(struct steadiness *steadiness, const struct run_table *table, size_t a, size_t quantity);

#endif
