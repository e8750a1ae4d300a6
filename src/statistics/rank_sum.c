/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/rank_sum.h"

#include "base/arena.h"
#include "base/scope.h"
#include "statistics/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_MOST = 40,  /* values in both sets whose arrangements are counted */
    VALUES_MOST = 1500 /* of a set: the differences are their product */
};

/*
 * P(U <= u) for the first u's that stay at or below tail: how many differences lie outside, or SIZE_MAX. Arrangements
 * are counted by the recursion of Mann & Whitney: whichever set the largest value is of.
 */
static size_t exact_outside(size_t a_count, size_t b_count, double tail)
{
    size_t most = a_count * b_count, width = most + 1;
    /* probability[m][u] of U = u for m of a and the n of b reached so far, as shares of all arrangements. */
    scoped_free double *probability = memory_alloc(memory_product((a_count + 1) * width, sizeof(double)));
    memset(probability, 0, (a_count + 1) * width * sizeof(double));
    for (size_t m = 0; m <= a_count; m++)
        probability[m * width] = 1; /* n = 0: U is 0 */
    for (size_t n = 1; n <= b_count; n++) {
        for (size_t m = 1; m <= a_count; m++) {
            double of_b = (double)n / (double)(m + n); /* the largest is of b: it exceeds all m */
            for (size_t u = width; u-- > 0;) {
                double with_b = u >= m ? probability[m * width + u - m] : 0;
                probability[m * width + u] = of_b * with_b + (1 - of_b) * probability[(m - 1) * width + u];
            }
        }
    }
    const double *last = probability + a_count * width;
    double cumulated = last[0];
    size_t outside = 0;
    if (cumulated > tail)
        return SIZE_MAX;
    while (outside < most / 2 && (cumulated += last[outside + 1]) <= tail)
        outside++;
    return outside;
}

static size_t differences_outside(size_t a_count, size_t b_count, double alpha)
{
    if (a_count + b_count <= EXACT_MOST)
        return exact_outside(a_count, b_count, alpha / 2);
    double m = (double)a_count, n = (double)b_count;
    double bound = m * n / 2 - 0.5 - normal_quantile(1 - alpha / 2) * sqrt(m * n * (m + n + 1) / 12);
    return bound >= 0 ? (size_t)bound : SIZE_MAX;
}

static int compare_double(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Every stride-th value. */
static size_t stride_of(size_t count)
{
    return count > VALUES_MOST ? (count + VALUES_MOST - 1) / VALUES_MOST : 1;
}

struct interval rank_sum_interval(const double *a, size_t a_count, const double *b, size_t b_count, double alpha)
{
    size_t a_stride = stride_of(a_count), b_stride = stride_of(b_count);
    a_count /= a_stride;
    b_count /= b_stride;
    if (!a_count || !b_count)
        return (struct interval){0};
    size_t outside = differences_outside(a_count, b_count, alpha), count = a_count * b_count;
    if (outside == SIZE_MAX)
        return (struct interval){0};
    scoped_free double *differences = memory_alloc(memory_product(count, sizeof(*differences)));
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            differences[i * b_count + j] = b[j * b_stride] - a[i * a_stride];
    qsort(differences, count, sizeof(*differences), compare_double);
    double mid = count % 2 ? differences[count / 2] : (differences[count / 2 - 1] + differences[count / 2]) / 2;
    return interval_of(differences[outside], mid, differences[count - 1 - outside]);
}

/* Logarithms; NULL when a value isn't positive. Owner: the caller (free). */
static double *logs_of(const double *values, size_t count)
{
    scoped_free double *logs = memory_alloc(memory_product(count + 1, sizeof(*logs)));
    for (size_t at = 0; at < count; at++) {
        if (!(values[at] > 0))
            return NULL;
        logs[at] = log(values[at]);
    }
    double *owned = logs;
    logs = NULL;
    return owned;
}

struct interval rank_sum_ratio(const double *a, size_t a_count, const double *b, size_t b_count, double alpha)
{
    scoped_free double *a_logs = logs_of(a, a_count), *b_logs = logs_of(b, b_count);
    if (!a_logs || !b_logs)
        return (struct interval){0};
    struct interval shift = rank_sum_interval(a_logs, a_count, b_logs, b_count, alpha);
    return shift.known ? interval_of(exp(shift.low), exp(shift.mid), exp(shift.high)) : shift;
}

double rank_sum_p(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double m = (double)a_count, n = (double)b_count, total = m + n, u = 0, ties = 0;
    if (!a_count || !b_count)
        return 1;
    size_t count = a_count + b_count;
    scoped_free double *all = memory_alloc(memory_product(count, sizeof(*all)));
    memcpy(all, a, a_count * sizeof(*all));
    memcpy(all + a_count, b, b_count * sizeof(*all));
    qsort(all, count, sizeof(*all), compare_double);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && all[next] <= all[first];)
            next++;
        double tied = (double)(next - first);
        ties += tied * tied * tied - tied;
    }
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            u += b[j] > a[i] ? 1 : b[j] < a[i] ? 0 : 0.5;
    double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
    if (!(variance > 0))
        return 1;
    double distance = fmax(0, fabs(u - m * n / 2) - 0.5);
    return fmin(1, 2 * normal_below(-distance / sqrt(variance)));
}
