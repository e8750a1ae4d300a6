/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/interval.h"

#include "base/arena.h"
#include "base/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double z_95 = 1.959963984540054; /* 97.5 % quantile of the normal distribution */

struct interval interval_of(double low, double mid, double high)
{
    return (struct interval){.known = true, .low = low, .mid = mid, .high = high};
}

struct interval interval_exactly(double value)
{
    return interval_of(value, value, value);
}

struct interval interval_product(struct interval a, struct interval b)
{
    if (!a.known || !b.known)
        return (struct interval){0};
    return interval_of(a.low * b.low, a.mid * b.mid, a.high * b.high);
}

struct interval interval_complement(struct interval share)
{
    if (!share.known)
        return share;
    return interval_of(1 - share.high, 1 - share.mid, 1 - share.low);
}

struct interval interval_scaled(struct interval interval, double factor)
{
    if (!interval.known)
        return interval;
    double low = interval.low * factor, high = interval.high * factor;
    return factor >= 0 ? interval_of(low, interval.mid * factor, high) : interval_of(high, interval.mid * factor, low);
}

static double clamped(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

struct interval interval_clamped(struct interval interval, double low, double high)
{
    if (!interval.known)
        return interval;
    return interval_of(clamped(interval.low, low, high), clamped(interval.mid, low, high),
                       clamped(interval.high, low, high));
}

struct interval wilson_interval(double hits, double total, double effective)
{
    if (!(total > 0) || !(effective > 0) || hits < 0 || hits > total)
        return (struct interval){0};
    double n = effective < total ? effective : total;
    double share = hits / total;
    double z2 = z_95 * z_95;
    double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
    double half = z_95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
    return interval_of(clamped(centre - half, 0, share), share, clamped(centre + half, share, 1));
}

static int compare_double(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Owner: the caller (free). */
static double *sorted_copy(const double *values, size_t count)
{
    double *sorted = memory_alloc(memory_product(count, sizeof(*sorted)));
    memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_double);
    return sorted;
}

static double sorted_quantile(const double *sorted, size_t count, double q)
{
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile(const double *values, size_t count, double q)
{
    scoped_free double *sorted = sorted_copy(values, count);
    return sorted_quantile(sorted, count, q);
}

/*
 * Largest k for which P(Binomial(count, 1/2) < k) <= 2.5 %: the interval from the k-th smallest to the k-th
 * largest value covers the median with at least 95 %. 0 when no k does (count < 6).
 */
static size_t median_rank(size_t count)
{
    double log_term = -(double)count * log(2); /* log P(X = 0) */
    double cumulated = 0;
    size_t rank = 0;
    while (rank < count / 2) {
        cumulated += exp(log_term);
        if (cumulated > 0.025)
            break;
        log_term += log((double)(count - rank)) - log((double)(rank + 1));
        rank++;
    }
    return rank;
}

struct interval median_interval(const double *values, size_t count)
{
    if (!count)
        return (struct interval){0};
    scoped_free double *sorted = sorted_copy(values, count);
    size_t rank = median_rank(count);
    size_t first = rank ? rank - 1 : 0;
    return interval_of(sorted[first], sorted_quantile(sorted, count, 0.5), sorted[count - 1 - first]);
}

struct interval quartile_interval(const double *values, size_t count)
{
    if (!count)
        return (struct interval){0};
    scoped_free double *sorted = sorted_copy(values, count);
    return interval_of(sorted_quantile(sorted, count, 0.25), sorted_quantile(sorted, count, 0.5),
                       sorted_quantile(sorted, count, 0.75));
}
