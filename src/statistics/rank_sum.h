/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By how much do two sets of measurements differ that weren't made in pairs?
 *
 * The Hodges-Lehmann shift (median of all differences) with the interval that inverts the Wilcoxon-Mann-Whitney
 * test, and that test's p-value with ties accounted for. Unlike pairs, nothing here cancels what changed on the machine
 * between the two sets. Exact up to 40 values in both together, by the normal approximation above.
 * Sources: Mann & Whitney 1947; Hollander & Wolfe, "Nonparametric Statistical Methods", chapter 4.
 */
#ifndef PLUMB_STATISTICS_RANK_SUM_H
#define PLUMB_STATISTICS_RANK_SUM_H

#include "statistics/interval.h"

/*
 * Interval of b - a at level 1 - alpha; unknown when so few values can't give one. More than 1500 of a set are thinned.
 */
struct interval rank_sum_interval(const double *a, size_t a_count, const double *b, size_t b_count, double alpha);
/* Ratio b / a of positive values likewise; unknown when a value isn't positive. */
struct interval rank_sum_ratio(const double *a, size_t a_count, const double *b, size_t b_count, double alpha);
/* Two-sided p-value of "no shift", by the normal approximation; 1 when a set is empty or all values are equal. */
double rank_sum_p(const double *a, size_t a_count, const double *b, size_t b_count);

#endif
