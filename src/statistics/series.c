/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/series.h"

#include "base/arena.h"
#include "base/scope.h"
#include "statistics/interval.h"
#include "statistics/normal.h"

#include <math.h>
#include <stdlib.h>

enum {
    TREND_LEAST = 6,
    RESEMBLANCE_LEAST = 8,
    SERIES_MOST = 1500
};

static int sign(double value)
{
    return (value > 0) - (value < 0);
}

struct trend trend_of(const double *values, size_t count)
{
    size_t stride = count > SERIES_MOST ? (count + SERIES_MOST - 1) / SERIES_MOST : 1, used = count / stride;
    if (used < TREND_LEAST)
        return (struct trend){0};
    size_t slope_count = used * (used - 1) / 2, at = 0;
    scoped_free double *slopes = memory_alloc(memory_product(slope_count, sizeof(*slopes)));
    double rising = 0, n = (double)used;
    for (size_t i = 0; i < used; i++)
        for (size_t j = i + 1; j < used; j++) {
            double difference = values[j * stride] - values[i * stride];
            rising += sign(difference);
            slopes[at++] = difference / (double)(j - i);
        }
    double spread = sqrt(n * (n - 1) * (2 * n + 5) / 18);
    double z = (rising - sign(rising)) / spread; /* with the correction for continuity */
    return (struct trend){.known = true,
                          .p = fmin(1, 2 * normal_below(-fabs(z))),
                          .change = quantile(slopes, slope_count, 0.5) * (n - 1)};
}

struct placed {
    double value;
    size_t index;
};

static int compare_value(const void *a, const void *b)
{
    double left = ((const struct placed *)a)->value, right = ((const struct placed *)b)->value;
    return (left > right) - (left < right);
}

/* Ranks of the values, ties sharing theirs, less their mean. Owner: the caller (free). */
static double *centred_ranks(const double *values, size_t count)
{
    scoped_free struct placed *order = memory_alloc(memory_product(count, sizeof(*order)));
    double *ranks = memory_alloc(memory_product(count, sizeof(*ranks)));
    for (size_t at = 0; at < count; at++)
        order[at] = (struct placed){values[at], at};
    qsort(order, count, sizeof(*order), compare_value);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && order[next].value <= order[first].value;)
            next++;
        for (size_t at = first; at < next; at++)
            ranks[order[at].index] = ((double)first + (double)next - (double)count) / 2;
    }
    return ranks;
}

struct resemblance resemblance_of(const double *values, size_t count)
{
    if (count < RESEMBLANCE_LEAST)
        return (struct resemblance){0};
    scoped_free double *ranks = centred_ranks(values, count);
    double product = 0, square = 0, n = (double)count;
    for (size_t at = 0; at < count; at++) {
        square += ranks[at] * ranks[at];
        product += at ? ranks[at] * ranks[at - 1] : 0;
    }
    if (!(square > 0))
        return (struct resemblance){0};
    double correlation = product / square;
    /* An independent series shows -1/n on average, spread about 1/sqrt(n). */
    return (struct resemblance){.known = true,
                                .correlation = correlation,
                                .beyond_chance = fabs(correlation + 1 / n) > 1.96 / sqrt(n)};
}
