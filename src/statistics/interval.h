/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure are we: intervals for shares and medians, without assuming a normal distribution.
 *
 * All are two-sided at (at least) 95 % unless the header of a function says otherwise. An interval that can't
 * be had is `known == false`, and its numbers are undefined: never 0, never NaN.
 * Does not support: paired ratios, sequential decisions, multiplicity (their own files).
 * Sources: Wilson 1927; Hollander & Wolfe, "Nonparametric Statistical Methods", 3.
 */
#ifndef PLUMB_STATISTICS_INTERVAL_H
#define PLUMB_STATISTICS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    bool known;
    double low, mid, high; /* low <= mid <= high */
};

struct interval interval_of(double low, double mid, double high);
struct interval interval_exactly(double value);
/* Bounds of the product of two independent non-negative quantities, bound by bound (conservative). */
struct interval interval_product(struct interval a, struct interval b);
/* 1 - x for a quantity in 0..1. */
struct interval interval_complement(struct interval share);
struct interval interval_scaled(struct interval interval, double factor);
struct interval interval_clamped(struct interval interval, double low, double high);

/*
 * Wilson score interval of hits out of total; unknown when total is 0.
 * Samples of a profile are correlated: effective is the number of independent ones (total when unknown; at
 * most total), which widens the interval accordingly.
 */
struct interval wilson_interval(double hits, double total, double effective);

/* Median with the order-statistic interval; for n < 6, where 95 % can't be had, the whole range. n 0: unknown. */
struct interval median_interval(const double *values, size_t count);
/* Quartiles around the median: spread, not confidence. */
struct interval quartile_interval(const double *values, size_t count);

/* The q-quantile (0..1) of values, interpolated; sorts a copy. count >= 1. */
double quantile(const double *values, size_t count, double q);

#endif
