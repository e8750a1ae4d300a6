/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By how much do paired measurements differ, whatever the shape of their noise?
 *
 * The Hodges-Lehmann estimate (median of the Walsh averages) of differences that are symmetric about the effect,
 * with the interval that inverts Wilcoxon's signed-rank test at any level. The order within a pair was random, so
 * that without an effect the signs are fair coins and the level holds for skewed, bimodal and drifting noise alike.
 * Exact up to 60 pairs, by the normal approximation above; more than 1500 are first averaged in runs of neighbours.
 * Sources: Hodges & Lehmann 1963; Hollander & Wolfe, "Nonparametric Statistical Methods", chapter 3.
 */
#ifndef PLUMB_STATISTICS_SIGNED_RANK_H
#define PLUMB_STATISTICS_SIGNED_RANK_H

#include "statistics/interval.h"

/* Smallest pair count at which a 95 % interval exists. */
#define SIGNED_RANK_COUNT_LEAST 6

/* Interval of the shift at level 1 - alpha; unknown when so few differences can't give one. */
struct interval signed_rank_interval(const double *differences, size_t count, double alpha);

/*
 * Two-sided p-value of "no shift"; zeros are dropped, ties share their rank, both exactly accounted for up to 200
 * differences. 1 when nothing differs.
 */
double signed_rank_p(const double *differences, size_t count);

/*
 * Ratio b/a of paired positive measurements at level 1 - alpha; unknown when count is 0, a value isn't positive, or
 * the level can't be had.
 */
struct interval paired_ratio_interval_at(const double *a, const double *b, size_t count, double alpha);

/* The range of the Walsh averages: where too few pairs give no interval. */
struct interval paired_ratio_range(const double *a, const double *b, size_t count);

/* At 95 %, or the range with fewer than SIGNED_RANK_COUNT_LEAST pairs. */
struct interval paired_ratio_interval(const double *a, const double *b, size_t count);

#endif
