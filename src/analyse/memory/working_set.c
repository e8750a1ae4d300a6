/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/working_set.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum {
    NEIGHBOURS = 8,           /* differences are taken to this many samples ahead */
    DIFFERENCES_MOST = 256,   /* the smallest are kept */
    STRIDE_LEAST = 128,       /* below that every line of the span is touched anyway */
    NEIGHBOUR_NS = 5000000,   /* samples further apart say nothing about one loop */
};

static const double STRIDE_SCORE_LEAST = 0.6;

static int u64_compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* sorted addresses */
static struct set_size size_of(const uint64_t *sorted, size_t count, unsigned shift)
{
    double pairs = (double)count * (double)(count - 1) / 2, equal = 0;
    for (size_t at = 0; at < count;) {
        size_t same = at;
        while (same < count && sorted[same] >> shift == sorted[at] >> shift)
            same++;
        double run = (double)(same - at);
        equal += run * (run - 1) / 2;
        at = same;
    }
    double granule = (double)(UINT64_C(1) << shift);
    /* Upper 95 % bound of a Poisson mean that gave `equal` pairs, by its normal approximation (3 for none). */
    double most_equal = equal + 1.645 * sqrt(equal) + 3;
    return (struct set_size){
        .known = equal >= 3,
        .bytes = equal > 0 ? pairs / equal * granule : 0,
        .at_least_bytes = pairs / most_equal * granule,
    };
}

/* Absolute differences of near samples, smallest first. */
static size_t differences_of(const struct timed_address *addresses, size_t count, double *differences)
{
    vec(double) all = {0};
    for (size_t at = 0; at < count; at++)
        for (size_t next = at + 1; next < count && next <= at + NEIGHBOURS; next++) {
            if (addresses[next].time_ns - addresses[at].time_ns > NEIGHBOUR_NS)
                break;
            double difference = fabs((double)(int64_t)(addresses[next].addr - addresses[at].addr));
            if (difference >= STRIDE_LEAST)
                *vec_push(&all) = difference;
        }
    if (all.count)
        qsort(all.items, all.count, sizeof(*all.items), double_compare);
    size_t kept = all.count < DIFFERENCES_MOST ? all.count : DIFFERENCES_MOST;
    if (kept)
        memcpy(differences, all.items, kept * sizeof(*differences));
    vec_done(&all);
    return kept;
}

static double score_at(const double *differences, size_t count, double stride)
{
    double sum = 0;
    for (size_t at = 0; at < count; at++)
        sum += cos(2 * M_PI * fmod(differences[at], stride) / stride);
    return sum / (double)count;
}

/* The longest period that explains the differences; steps through frequency with a rotation per difference. */
static double period_search(const double *differences, size_t count, double *ret_score)
{
    double longest = differences[count - 1];
    double step = 1 / (4 * longest);
    double least_frequency = 2 / differences[count / 2];
    double wanted = (1.0 / STRIDE_LEAST - least_frequency) / step;
    if (!(wanted > 0 && wanted <= 1 << 18))
        return 0;
    size_t bins = (size_t)wanted;
    scoped_free double *scores = memory_alloc((bins + 1) * sizeof(*scores));
    memset(scores, 0, (bins + 1) * sizeof(*scores));
    for (size_t at = 0; at < count; at++) {
        double angle = 2 * M_PI * differences[at] * least_frequency, turn = 2 * M_PI * differences[at] * step;
        double x = cos(angle), y = sin(angle), c = cos(turn), s = sin(turn);
        for (size_t bin = 0; bin <= bins; bin++) {
            scores[bin] += x;
            double turned = x * c - y * s;
            y = x * s + y * c;
            x = turned;
        }
    }
    double best = 0;
    for (size_t bin = 0; bin <= bins; bin++)
        best = scores[bin] > best ? scores[bin] : best;
    for (size_t bin = 0; bin <= bins; bin++) {
        bool peak = scores[bin] >= 0.85 * best && (bin == bins || scores[bin] >= scores[bin + 1]);
        if (!peak)
            continue;
        *ret_score = scores[bin] / (double)count;
        return 1 / (least_frequency + (double)bin * step);
    }
    return 0;
}

static uint64_t stride_refine(const double *differences, size_t count, double about, double *score)
{
    double best = *score;
    uint64_t stride = (uint64_t)(about + 0.5);
    double reach = about * 0.01;
    for (uint64_t candidate = (uint64_t)(about - reach) & ~UINT64_C(3); (double)candidate <= about + reach;
         candidate += 4) {
        double here = score_at(differences, count, (double)candidate);
        if (here > best) {
            best = here;
            stride = candidate;
        }
    }
    *score = best;
    return stride;
}

static void stride_find(struct working_set *set, const struct timed_address *addresses, size_t count)
{
    double differences[DIFFERENCES_MOST];
    size_t kept = differences_of(addresses, count, differences);
    if (kept < WORKING_SET_ADDRESSES_LEAST)
        return;
    double score = 0, about = period_search(differences, kept, &score);
    if (about <= 0 || score < STRIDE_SCORE_LEAST)
        return;
    set->stride_bytes = stride_refine(differences, kept, about, &score);
    set->stride_score = score;
    size_t same = 0;
    for (size_t at = 1; at < count; at++) {
        uint64_t apart = (addresses[at].addr - addresses[0].addr) % set->stride_bytes;
        same += apart < 64 || set->stride_bytes - apart < 64;
    }
    set->one_place_in_stride = same * 10 >= (count - 1) * 9;
}

struct working_set working_set_of(const struct timed_address *addresses, size_t count)
{
    struct working_set set = {.address_count = count};
    if (count < WORKING_SET_ADDRESSES_LEAST)
        return set;
    scoped_free uint64_t *sorted = memory_alloc(count * sizeof(*sorted));
    for (size_t at = 0; at < count; at++)
        sorted[at] = addresses[at].addr;
    qsort(sorted, count, sizeof(*sorted), u64_compare);
    set.lines = size_of(sorted, count, 6);
    set.pages = size_of(sorted, count, 12);
    set.span_bytes = sorted[count - 1 - count / 100] - sorted[count / 100] + 1;
    stride_find(&set, addresses, count);
    return set;
}
