/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/signed_rank.h"

#include "base/arena.h"
#include "base/scope.h"
#include "statistics/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_MOST = 60,       /* pairs whose rank sums are counted for an interval */
    EXACT_TIED_MOST = 200, /* pairs whose rank sums are counted for a p-value */
    PAIRS_MOST = 1500      /* more are averaged: the Walsh averages are their square */
};

/*
 * How many of the smallest (and of the largest) Walsh averages lie outside the interval; SIZE_MAX when no average does
 * at that level. Counts sign patterns by their rank sum, as probabilities, up to the sum that is asked for.
 */
static size_t exact_outside(size_t count, double tail)
{
    size_t most = count * (count + 1) / 2;
    scoped_free double *probability = memory_alloc(memory_product(most + 1, sizeof(*probability)));
    memset(probability, 0, (most + 1) * sizeof(*probability));
    probability[0] = 1;
    for (size_t rank = 1, reach = 1; rank <= count; reach += ++rank)
        for (size_t sum = (reach < most / 2 ? reach : most / 2) + 1; sum-- > 0;)
            probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
    double cumulated = probability[0];
    size_t outside = 0;
    if (cumulated > tail)
        return SIZE_MAX;
    while (outside < most / 2 && (cumulated += probability[outside + 1]) <= tail)
        outside++;
    return outside;
}

static size_t walsh_outside(size_t count, double alpha)
{
    if (count <= EXACT_MOST)
        return exact_outside(count, alpha / 2);
    double n = (double)count;
    double bound = n * (n + 1) / 4 - 0.5 - normal_quantile(1 - alpha / 2) * sqrt(n * (n + 1) * (2 * n + 1) / 24);
    return bound >= 0 ? (size_t)bound : SIZE_MAX;
}

static void swap(double *a, double *b)
{
    double held = *a;
    *a = *b;
    *b = held;
}

/* The value that would stand at `rank` if values were sorted; reorders them (Hoare's selection). */
static double select_rank(double *values, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t left = low, right = high;
        while (left <= right) {
            while (values[left] < pivot)
                left++;
            while (values[right] > pivot)
                right--;
            if (left > right)
                break;
            swap(&values[left++], &values[right]);
            if (right == 0)
                break;
            right--;
        }
        if (rank <= right)
            high = right;
        else if (rank >= left)
            low = left;
        else
            break;
    }
    return values[rank];
}

/* Leaves the smaller half before count / 2, and the larger one from there on. */
static double select_median(double *values, size_t count)
{
    double upper = select_rank(values, count, count / 2);
    return count % 2 ? upper : (upper + select_rank(values, count / 2, count / 2 - 1)) / 2;
}

/* As select_rank, of values whose median was selected. */
static double select_beside_median(double *values, size_t count, size_t rank)
{
    size_t half = count / 2;
    return rank < half ? select_rank(values, half, rank) : select_rank(values + half, count - half, rank - half);
}

/* Owner: the caller (free). */
static double *walsh_averages(const double *differences, size_t count, size_t *ret_count)
{
    *ret_count = count * (count + 1) / 2;
    double *averages = memory_alloc(memory_product(*ret_count, sizeof(*averages)));
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            averages[at++] = (differences[i] + differences[j]) / 2;
    return averages;
}

/* Means of runs of neighbours, so that PAIRS_MOST remain. Owner: the caller (free). */
static double *batched(const double *differences, size_t *count)
{
    size_t batch = (*count + PAIRS_MOST - 1) / PAIRS_MOST, batches = *count / batch;
    double *means = memory_alloc(memory_product(batches, sizeof(*means)));
    for (size_t at = 0; at < batches; at++) {
        double sum = 0;
        for (size_t in = 0; in < batch; in++)
            sum += differences[at * batch + in];
        means[at] = sum / (double)batch;
    }
    *count = batches;
    return means;
}

static struct interval shift_interval(const double *differences, size_t count, size_t outside)
{
    size_t averages_count;
    scoped_free double *averages = walsh_averages(differences, count, &averages_count);
    double mid = select_median(averages, averages_count);
    double low = select_beside_median(averages, averages_count, outside);
    return interval_of(low, mid, select_beside_median(averages, averages_count, averages_count - 1 - outside));
}

struct interval signed_rank_interval(const double *differences, size_t count, double alpha)
{
    if (!count)
        return (struct interval){0};
    scoped_free double *means = count > PAIRS_MOST ? batched(differences, &count) : NULL;
    size_t outside = walsh_outside(count, alpha);
    if (outside == SIZE_MAX)
        return (struct interval){0};
    return shift_interval(means ? means : differences, count, outside);
}

struct ranked {
    double size; /* of the difference, without its sign */
    bool positive;
    size_t twice_rank; /* ties share a rank, which may be a half */
};

static int compare_size(const void *a, const void *b)
{
    double left = ((const struct ranked *)a)->size, right = ((const struct ranked *)b)->size;
    return (left > right) - (left < right);
}

/* Fill items (as many as differences that aren't 0), with their ranks; return how many. */
static size_t rank_differences(const double *differences, size_t count, struct ranked *items)
{
    size_t used = 0;
    for (size_t at = 0; at < count; at++)
        if (differences[at] < 0 || differences[at] > 0)
            items[used++] = (struct ranked){.size = fabs(differences[at]), .positive = differences[at] > 0};
    qsort(items, used, sizeof(*items), compare_size);
    for (size_t first = 0, next; first < used; first = next) {
        for (next = first + 1; next < used && items[next].size <= items[first].size;)
            next++;
        for (size_t at = first; at < next; at++)
            items[at].twice_rank = first + next + 1; /* of the ranks first+1 .. next */
    }
    return used;
}

/* P(sum of the positive ones' twice-ranks <= sum), each sign a fair coin. */
static double exact_tail(const struct ranked *items, size_t count, size_t sum)
{
    scoped_free double *probability = memory_alloc(memory_product(sum + 1, sizeof(*probability)));
    memset(probability, 0, (sum + 1) * sizeof(*probability));
    probability[0] = 1;
    for (size_t item = 0; item < count; item++)
        for (size_t at = sum + 1; at-- > 0;)
            probability[at] =
                (probability[at] + (at >= items[item].twice_rank ? probability[at - items[item].twice_rank] : 0)) / 2;
    double tail = 0;
    for (size_t at = 0; at <= sum; at++)
        tail += probability[at];
    return tail;
}

static double normal_tail(const struct ranked *items, size_t count, size_t sum)
{
    double mean = 0, variance = 0;
    for (size_t at = 0; at < count; at++) {
        double rank = (double)items[at].twice_rank / 2;
        mean += rank / 2;
        variance += rank * rank / 4;
    }
    return normal_below(((double)sum / 2 + 0.25 - mean) / sqrt(variance));
}

double signed_rank_p(const double *differences, size_t count)
{
    scoped_free struct ranked *items = memory_alloc(memory_product(count + 1, sizeof(*items)));
    size_t used = rank_differences(differences, count, items);
    if (!used)
        return 1;
    size_t positive = 0, total = 0;
    for (size_t at = 0; at < used; at++) {
        total += items[at].twice_rank;
        positive += items[at].positive ? items[at].twice_rank : 0;
    }
    size_t smaller = positive < total - positive ? positive : total - positive;
    double tail = used <= EXACT_TIED_MOST ? exact_tail(items, used, smaller) : normal_tail(items, used, smaller);
    return fmin(1, 2 * tail);
}

/* log(b / a) of each pair; NULL when a value isn't positive. Owner: the caller (free). */
static double *log_ratios(const double *a, const double *b, size_t count)
{
    scoped_free double *logs = memory_alloc(memory_product(count + 1, sizeof(*logs)));
    for (size_t at = 0; at < count; at++) {
        if (!(a[at] > 0) || !(b[at] > 0))
            return NULL;
        logs[at] = log(b[at] / a[at]);
    }
    double *owned = logs;
    logs = NULL;
    return owned;
}

static struct interval interval_exp(struct interval logs)
{
    return logs.known ? interval_of(exp(logs.low), exp(logs.mid), exp(logs.high)) : logs;
}

struct interval paired_ratio_interval_at(const double *a, const double *b, size_t count, double alpha)
{
    scoped_free double *logs = log_ratios(a, b, count);
    return logs ? interval_exp(signed_rank_interval(logs, count, alpha)) : (struct interval){0};
}

struct interval paired_ratio_range(const double *a, const double *b, size_t count)
{
    scoped_free double *logs = log_ratios(a, b, count);
    return logs && count ? interval_exp(shift_interval(logs, count, 0)) : (struct interval){0};
}

struct interval paired_ratio_interval(const double *a, const double *b, size_t count)
{
    return count < SIGNED_RANK_COUNT_LEAST ? paired_ratio_range(a, b, count)
                                           : paired_ratio_interval_at(a, b, count, 0.05);
}
