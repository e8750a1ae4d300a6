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
    BINS_MOST = 1 << 18,      /* that a search steps through: four for each period of the longest difference */
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

/* How far apart two samples are that came shortly after one another; 0: not near, or hardly apart. */
static double difference_of(const struct timed_address *addresses, size_t at, size_t next)
{
    if (addresses[next].time_ns - addresses[at].time_ns > NEIGHBOUR_NS)
        return 0;
    double difference = fabs((double)(int64_t)(addresses[next].addr - addresses[at].addr));
    return difference >= STRIDE_LEAST ? difference : 0;
}

/* Absolute differences of near samples, smallest first. */
static size_t differences_of(const struct timed_address *addresses, size_t count, double *differences)
{
    vec(double) all = {0};
    for (size_t at = 0; at < count; at++)
        for (size_t next = at + 1; next < count && next <= at + NEIGHBOURS; next++) {
            double difference = difference_of(addresses, at, next);
            if (difference > 0)
                *vec_push(&all) = difference;
        }
    if (all.count)
        qsort(all.items, all.count, sizeof(*all.items), double_compare);
    size_t kept = all.count < DIFFERENCES_MOST ? all.count : DIFFERENCES_MOST;
    /* Samples that came seldom lie far apart: fewer of them can be searched for a short stride. */
    while (kept && all.items[kept - 1] > (double)BINS_MOST / 4 * STRIDE_LEAST)
        kept--;
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

enum {
    LANES = 4
};
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/*
 * cos(phase), cos(phase - turn) and 2 cos(turn) of some differences: enough to turn them on by one multiplication each.
 */
struct turning {
    lanes now, before, twice;
};

static void turning_set(struct turning *turning, size_t lane, double difference, double first, double step)
{
    double angle = 2 * M_PI * difference * first, turn = 2 * M_PI * difference * step;
    turning->now[lane] = cos(angle);
    turning->before[lane] = cos(angle - turn);
    turning->twice[lane] = 2 * cos(turn);
}

/*
 * The sum of the phases' cosines at first, first + step, ... Millions of turns: with wide vectors where the CPU has
 * them.
 */
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
static void scores_fill(double *scores, size_t bins, const double *differences, size_t count, double first, double step)
{
    struct turning turnings[DIFFERENCES_MOST / LANES] = {0}; /* what is left empty adds nothing, however it is turned */
    size_t used = (count + LANES - 1) / LANES;
    for (size_t at = 0; at < count; at++)
        turning_set(&turnings[at / LANES], at % LANES, differences[at], first, step);
    for (size_t bin = 0; bin <= bins; bin++) {
        lanes sum = {0};
        for (size_t at = 0; at < used; at++) {
            struct turning *turning = &turnings[at];
            sum += turning->now;
            lanes next = turning->twice * turning->now - turning->before;
            turning->before = turning->now;
            turning->now = next;
        }
        scores[bin] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* The longest period that explains the differences; steps through frequency. */
static double period_search(const double *differences, size_t count, double *ret_score, double *ret_tried)
{
    double longest = differences[count - 1];
    double step = 1 / (4 * longest);
    double least_frequency = 2 / differences[count / 2];
    double wanted = (1.0 / STRIDE_LEAST - least_frequency) / step;
    if (!(wanted > 0 && wanted <= BINS_MOST))
        return 0;
    size_t bins = (size_t)wanted;
    scoped_free double *scores = memory_alloc((bins + 1) * sizeof(*scores));
    scores_fill(scores, bins, differences, count, least_frequency, step);
    double best = 0;
    for (size_t bin = 0; bin <= bins; bin++)
        best = scores[bin] > best ? scores[bin] : best;
    for (size_t bin = 0; bin <= bins; bin++) {
        bool peak = scores[bin] >= 0.85 * best && (bin == bins || scores[bin] >= scores[bin + 1]);
        if (!peak)
            continue;
        *ret_score = scores[bin] / (double)count;
        *ret_tried = (double)bins;
        return 1 / (least_frequency + (double)bin * step);
    }
    return 0;
}

/* The best of the candidates around, all of them multiples of 4. */
static uint64_t best_stride(const double *differences, size_t count, double about, double reach, uint64_t step,
                            double *score)
{
    uint64_t stride = (uint64_t)(about + 0.5);
    for (uint64_t candidate = (uint64_t)(about - reach) & ~UINT64_C(3); (double)candidate <= about + reach;
         candidate += step) {
        double here = candidate >= STRIDE_LEAST / 2 ? score_at(differences, count, (double)candidate) : -1;
        if (here > *score) {
            *score = here;
            stride = candidate;
        }
    }
    return stride;
}

/* As far as the search's own steps reach: they are wide where the longest difference is a few periods only. */
static uint64_t stride_refine(const double *differences, size_t count, double about, double *score)
{
    double between = about * about / (4 * differences[count - 1]);
    double reach = between > about * 0.01 ? between : about * 0.01;
    uint64_t coarse = ((uint64_t)(reach / 128) & ~UINT64_C(3)) + 4;
    uint64_t near = best_stride(differences, count, about, reach, coarse, score);
    return best_stride(differences, count, (double)near, (double)coarse, 4, score);
}

static size_t distinct(uint64_t *keys, size_t count)
{
    size_t found = 0;
    qsort(keys, count, sizeof(*keys), u64_compare);
    for (size_t at = 0; at < count; at++)
        found += !at || keys[at] != keys[at - 1];
    return found;
}

/*
 * Of so many periods that were tried one fits by chance. Addresses that keep to a few places give the same differences
 * again and again: what counts is how many places there are, and how many pairs of them. The score of n independent
 * phases exceeds s with exp(-n s^2), that of all pairs of k places with exp(-k s) (Rayleigh).
 */
static bool is_significant(const struct timed_address *addresses, size_t count, double longest, uint64_t stride,
                           double score, double tried)
{
    const double chance = 1e-3;
    vec(uint64_t) places = {0}, pairs = {0};
    for (size_t at = 0; at < count; at++)
        for (size_t next = at + 1; next < count && next <= at + NEIGHBOURS; next++) {
            double difference = difference_of(addresses, at, next);
            if (difference <= 0 || difference > longest)
                continue;
            uint64_t origin = addresses[0].addr % stride + stride / 2; /* rows begin half a step before it */
            uint64_t a = (addresses[at].addr + 2 * stride - origin) / stride;
            uint64_t b = (addresses[next].addr + 2 * stride - origin) / stride;
            *vec_push(&places) = a;
            *vec_push(&places) = b;
            *vec_push(&pairs) = a < b ? a * 0x9e3779b97f4a7c15u + b : b * 0x9e3779b97f4a7c15u + a;
        }
    double place_count = (double)distinct(places.items, places.count);
    double pair_count = (double)distinct(pairs.items, pairs.count);
    vec_done(&places);
    vec_done(&pairs);
    double needed = log(tried / chance);
    return pair_count * score * score >= needed && place_count * score >= needed;
}

static void stride_find(struct working_set *set, const struct timed_address *addresses, size_t count)
{
    double differences[DIFFERENCES_MOST];
    size_t kept = differences_of(addresses, count, differences);
    if (kept < WORKING_SET_ADDRESSES_LEAST)
        return;
    double score = 0, tried = 0, about = period_search(differences, kept, &score, &tried);
    if (about <= 0 || score < STRIDE_SCORE_LEAST)
        return;
    uint64_t stride = stride_refine(differences, kept, about, &score);
    if (!is_significant(addresses, count, differences[kept - 1], stride, score, tried))
        return;
    set->stride_bytes = stride;
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

void working_set_followed(struct working_set *set)
{
    static const double KEPT_LEAST = 0.97;
    if (set->stride_bytes && !set->one_place_in_stride && set->stride_score < KEPT_LEAST)
        set->stride_bytes = 0;
}

bool working_set_walks_rows(const struct working_set *set)
{
    static const double FEW_LINES = 32; /* the span holds so many times what was counted: they aren't all met */
    bool few = set->lines.known && set->lines.bytes * FEW_LINES < (double)set->span_bytes;
    return set->stride_bytes && !set->one_place_in_stride && !few;
}

static void size_clamp(struct set_size *size, double most)
{
    size->bytes = size->bytes > most ? most : size->bytes;
    size->at_least_bytes = size->at_least_bytes > most ? most : size->at_least_bytes;
}

void working_set_clamp(struct working_set *set, uint64_t mapping_bytes)
{
    size_clamp(&set->lines, (double)mapping_bytes);
    size_clamp(&set->pages, (double)mapping_bytes);
}
