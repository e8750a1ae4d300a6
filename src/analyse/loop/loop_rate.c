/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_rate.h"

#include "base/arena.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST_NS     15e3 /* below, the sample's own cost is most of the distance */
#define SCALE_FACTOR    4.0
#define APART_LEAST     3.2  /* distances of the two rates that have to agree */
#define AGREEMENT       0.15
#define PAIR_TOLERANCE  0.35
#define AGREEING_LEAST  0.6  /* of the pairs that went forward */
#define STAYED_LEAST    0.6  /* of the distances that began in the loop: of fewer, fast runs may all be over before */
#define UNEVEN_LEAST    0.25 /* quartile distance of the short distances / median */
#define FAR_LEAST                                                                                                      \
    2 /* times the farthest uneven distance: a loop entered again between samples shows another rate there */
#define ANEW_MOST       0.15 /* of pairs at uneven distances: as many more begin anew and don't show it */
#define DROWNED         4    /* times what its samples take: a shorter distance shows more of that than of the loop */
#define JITTER_NS       6e3  /* of when a timer's sample is taken */
#define SAMPLE_COST_MOST_NS                                                                                            \
    30e3 /* measured: 4 to 6 us for one with registers; 11 to 15 where setting the timer is an exit of 5 us */

#define CLEAN_PAIRS_LEAST 100 /* none of them backward: at even distances, too, that is no loop entered again */

struct pair {
    double distance_ns, turns;
    uint32_t samples; /* taken in between, the later one included */
    bool is_uneven;   /* neighbours of two events, whose periods have nothing to do with each other */
};

struct scale_pairs {
    vec(struct pair) pairs; /* that went forward by whole turns */
    vec(double) anew_ns;    /* distances of the other uneven ones */
    vec(double) left_ns;    /* of uneven neighbours between which the loop was left */
};

static bool value_of(const struct loop_sample *sample, unsigned number, uint64_t *ret_value)
{
    if (number >= 64 || !(sample->mask >> number & 1))
        return false;
    *ret_value = sample->values[__builtin_popcountll(sample->mask & (((uint64_t)1 << number) - 1))];
    return true;
}

static bool kept_same(const struct loop_sample *a, const struct loop_sample *b, uint64_t kept)
{
    for (uint64_t left = kept & a->mask & b->mask; left; left &= left - 1) {
        uint64_t before, after;
        unsigned number = (unsigned)__builtin_ctzll(left);
        if (value_of(a, number, &before) && value_of(b, number, &after) && before != after)
            return false;
    }
    return true;
}

/* The odd part's inverse modulo 2^64 (Newton: each step doubles the bits that are right). */
static uint64_t inverse_of_odd(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int step = 0; step < 5; step++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

enum turns {
    TURNS_FORWARD,
    TURNS_BACKWARD,
    TURNS_CONTRARY,
    TURNS_UNKNOWN
};

/* How far it moved within a turn before `row`. */
static uint64_t moved_before(const struct instruction *rows, struct loop_rows loop,
                             const struct loop_induction *induction, uint32_t row, uint64_t step)
{
    uint64_t sum = 0;
    for (uint32_t at = loop.first; at < row && at <= loop.last; at++)
        if (rows[at].writes >> induction->number & 1)
            sum += induction->by == REGISTER_NONE ? (uint64_t)rows[at].step : step;
    return sum;
}

/* A step that is hardly ever a small number (a hash's odd constant): count by its inverse. */
static enum turns turns_of_wide(uint64_t difference, uint64_t step, double *ret_turns)
{
    uint64_t turns = difference * inverse_of_odd(step);
    if (turns > (uint64_t)1 << 62)
        return 0 - turns < (uint64_t)1 << 62 ? TURNS_BACKWARD : TURNS_CONTRARY;
    *ret_turns = (double)turns;
    return turns < (uint64_t)1 << 40 ? TURNS_FORWARD : TURNS_CONTRARY;
}

static enum turns turns_by(const struct loop_rate_request *request, const struct loop_induction *induction,
                           const struct loop_sample *a, const struct loop_sample *b, double *ret_turns)
{
    uint64_t before, after, step = (uint64_t)induction->step;
    if (!value_of(a, induction->number, &before) || !value_of(b, induction->number, &after) ||
        (induction->by != REGISTER_NONE && !value_of(a, induction->by, &step)))
        return TURNS_UNKNOWN;
    uint64_t difference = (after - moved_before(request->rows, request->loop, induction, b->row, step)) -
                          (before - moved_before(request->rows, request->loop, induction, a->row, step));
    int64_t signed_step = induction->bits == 32 ? (int32_t)step : (int64_t)step;
    int64_t signed_difference = induction->bits == 32 ? (int32_t)difference : (int64_t)difference;
    if (!signed_step)
        return TURNS_UNKNOWN;
    if (induction->bits == 64 && (step & 1) && signed_step != 1 && signed_step != -1 &&
        (signed_step > UINT32_MAX || signed_step < -(int64_t)UINT32_MAX))
        return turns_of_wide(difference, step, ret_turns);
    if (signed_difference % signed_step)
        return TURNS_CONTRARY;
    if (signed_difference && (signed_difference < 0) != (signed_step < 0))
        return TURNS_BACKWARD;
    *ret_turns = (double)(signed_difference / signed_step);
    return TURNS_FORWARD;
}

/* All counting registers have to say the same. */
static enum turns turns_between(const struct loop_rate_request *request, const struct loop_inductions *inductions,
                                const struct loop_sample *a, const struct loop_sample *b, double *ret_turns)
{
    enum turns first = TURNS_UNKNOWN;
    for (uint32_t at = 0; at < inductions->count; at++) {
        double turns = 0;
        enum turns one = turns_by(request, &inductions->items[at], a, b, &turns);
        if (one == TURNS_UNKNOWN)
            continue;
        if (first != TURNS_UNKNOWN && (one != first || (one == TURNS_FORWARD && fabs(turns - *ret_turns) > 1)))
            return TURNS_CONTRARY;
        first = one;
        *ret_turns = turns;
    }
    return first;
}

static int scale_of(double distance_ns)
{
    if (distance_ns < SHORTEST_NS)
        return -1;
    int scale = (int)floor(log(distance_ns / SHORTEST_NS) / log(SCALE_FACTOR));
    return scale < LOOP_SCALES ? scale : -1;
}

static void pair_add(struct loop_rate *rate, struct scale_pairs *kept, const struct loop_rate_request *request,
                     const struct loop_inductions *inductions, const struct loop_sample *a, const struct loop_sample *b,
                     uint32_t samples)
{
    double distance_ns = (double)(b->time_ns - a->time_ns), turns = 0;
    int scale = b->time_ns > a->time_ns ? scale_of(distance_ns) : -1;
    if (scale < 0)
        return;
    struct loop_scale *counts = &rate->scales[scale];
    enum turns way = turns_between(request, inductions, a, b, &turns);
    bool is_uneven = a->event != b->event;
    if (way == TURNS_UNKNOWN)
        return;
    if (way == TURNS_FORWARD)
        *vec_push(&kept[scale].pairs) = (struct pair){distance_ns, turns, samples, is_uneven};
    else if (is_uneven)
        *vec_push(&kept[scale].anew_ns) = distance_ns;
    counts->backward += way == TURNS_BACKWARD;
    counts->contrary += way == TURNS_CONTRARY;
    counts->pairs++;
}

static int sample_compare(const void *a, const void *b)
{
    const struct loop_sample *left = *(const struct loop_sample *const *)a,
                             *right = *(const struct loop_sample *const *)b;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    return (left > right) - (left < right);
}

static void left_add(struct loop_rate *rate, struct scale_pairs *kept, const struct loop_sample *a,
                     const struct loop_sample *b)
{
    double distance_ns = (double)(b->time_ns - a->time_ns);
    int scale = b->time_ns > a->time_ns ? scale_of(distance_ns) : -1;
    if (scale < 0)
        return;
    rate->scales[scale].left++;
    if (a->event != b->event)
        *vec_push(&kept[scale].left_ns) = distance_ns;
}

enum { EVENTS = 4 };

struct last {
    const struct loop_sample *sample; /* in the loop; NULL: none that what follows can be held against */
    size_t at;
    bool left; /* since then */
};

struct walk { /* over the samples of a thread, by time */
    struct loop_rate *rate;
    struct scale_pairs *kept;
    const struct loop_rate_request *request;
    const struct loop_inductions *inductions;
    const struct loop_sample *before;
    struct last last, last_of[EVENTS];
};

static bool is_inside(const struct walk *walk, const struct loop_sample *sample)
{
    return sample->row >= walk->request->loop.first && sample->row <= walk->request->loop.last;
}

static void pair_close(const struct walk *walk, const struct last *from, const struct loop_sample *now, size_t at)
{
    if (from->left)
        left_add(walk->rate, walk->kept, from->sample, now);
    else
        pair_add(walk->rate, walk->kept, walk->request, walk->inductions, from->sample, now, (uint32_t)(at - from->at));
}

/*
 * What the sample shows of the time since the one before it: that the loop went on, was left, or, in what it calls,
 * nothing.
 */
static void walk_on(struct walk *walk, const struct loop_sample *now)
{
    const struct loop_sample *before = walk->before;
    bool inside = is_inside(walk, now),
         same_thread = before && before->thread == now->thread && before->stretch == now->stretch;
    bool anew = same_thread && inside && is_inside(walk, before) && !kept_same(before, now, walk->inductions->kept);
    walk->rate->entered += anew;
    if (!same_thread || (!inside && walk->inductions->calls)) {
        walk->last = (struct last){NULL};
        memset(walk->last_of, 0, sizeof(walk->last_of));
    }
    if (anew || !inside) {
        walk->last.left = true;
        for (size_t event = 0; event < EVENTS; event++)
            walk->last_of[event].left = true;
    }
}

/*
 * Each sample with the one before it, and with the one before it of its own event: as long as every sample between
 * them was in the loop and nothing that the loop keeps had changed.
 */
static void pairs_of(struct walk *walk, const struct loop_sample *now, size_t at)
{
    walk_on(walk, now);
    struct last *same = now->event < EVENTS ? &walk->last_of[now->event] : NULL;
    if (walk->last.sample)
        pair_close(walk, &walk->last, now, at);
    if (same && same->sample && same->sample != walk->last.sample)
        pair_close(walk, same, now, at);
    walk->last = (struct last){is_inside(walk, now) ? now : NULL, at, false};
    if (same)
        *same = walk->last;
    walk->before = now;
}

static void pairs_find(struct loop_rate *rate, struct scale_pairs *kept, const struct loop_rate_request *request,
                       const struct loop_inductions *inductions)
{
    const struct loop_sample **order = memory_alloc(memory_product(request->sample_count + 1, sizeof(*order)));
    struct walk walk = {.rate = rate, .kept = kept, .request = request, .inductions = inductions};
    for (size_t at = 0; at < request->sample_count; at++)
        order[at] = &request->samples[at];
    if (request->sample_count)
        qsort(order, request->sample_count, sizeof(*order), sample_compare);
    for (size_t at = 0; at < request->sample_count; at++)
        pairs_of(&walk, order[at], at);
    free(order);
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* A quantile of what is sorted. */
static double quantile(const double *sorted, size_t count, double part)
{
    return sorted[(size_t)((double)(count - 1) * part + 0.5)];
}

/* Rates of a scale's pairs, sorted; the time that a sample takes is left out. Owner: the caller (free). */
static double *rates_sorted(const struct scale_pairs *kept, double cost_ns)
{
    double *rates = memory_alloc((kept->pairs.count + 1) * sizeof(*rates));
    for (size_t at = 0; at < kept->pairs.count; at++) {
        const struct pair *pair = &kept->pairs.items[at];
        rates[at] = pair->turns / fmax(pair->distance_ns - cost_ns * pair->samples, 1) * 1e9;
    }
    if (kept->pairs.count)
        qsort(rates, kept->pairs.count, sizeof(*rates), double_compare);
    return rates;
}

static void scale_summarise(struct loop_scale *scale, const struct scale_pairs *kept, double cost_ns)
{
    size_t count = kept->pairs.count;
    scale->agreeing = 0;
    if (count < LOOP_PAIRS_LEAST)
        return;
    double *rates = rates_sorted(kept, cost_ns);
    scale->rate_per_s = quantile(rates, count, 0.5);
    for (size_t at = 0; at < count; at++)
        scale->agreeing += fabs(rates[at] - scale->rate_per_s) <= PAIR_TOLERANCE * scale->rate_per_s;
    for (size_t at = 0; at < count; at++)
        rates[at] = kept->pairs.items[at].distance_ns;
    qsort(rates, count, sizeof(*rates), double_compare);
    scale->distance_ns = quantile(rates, count, 0.5);
    scale->samples = 0;
    for (size_t at = 0; at < count; at++)
        scale->samples += kept->pairs.items[at].samples / (double)count;
    scale->spread = (quantile(rates, count, 0.75) - quantile(rates, count, 0.25)) / scale->distance_ns;
    free(rates);
}

static uint32_t forward_count(const struct loop_scale *scale)
{
    return scale->pairs - scale->backward - scale->contrary;
}

static bool is_steady(const struct loop_scale *scale)
{
    uint32_t forward = forward_count(scale);
    return scale->rate_per_s > 0 && forward >= LOOP_PAIRS_LEAST &&
           forward >= STAYED_LEAST * (scale->pairs + scale->left) &&
           scale->agreeing >= AGREEING_LEAST * (forward + scale->contrary);
}

/*
 * The time c that a sample takes from the loop makes short distances look slow. With n samples and t turns in a
 * distance d, t / (d - n c) is the same at both.
 */
static double sample_cost(const struct loop_scale *near, const struct loop_scale *far)
{
    double short_turns = near->rate_per_s * near->distance_ns, long_turns = far->rate_per_s * far->distance_ns;
    double cost = (long_turns * near->distance_ns - short_turns * far->distance_ns) /
                  (long_turns * near->samples - short_turns * far->samples);
    return !(cost > 0) ? 0 : cost > SAMPLE_COST_MOST_NS ? SAMPLE_COST_MOST_NS : cost;
}

static bool agree(double a, double b)
{
    return fabs(a - b) <= AGREEMENT * (a > b ? a : b);
}

/* Never seen to begin anew: of a loop that does, one sample in (length / distance walked) shows it. */
static bool is_clean(const struct loop_rate *rate, const struct loop_scale *scale)
{
    return scale->pairs >= CLEAN_PAIRS_LEAST && !scale->backward && !scale->contrary &&
           rate->entered * 100 <= scale->pairs;
}

/*
 * Another scale says something else, and is as sure as one can be: two that agree in a slow moment don't outweigh it.
 */
static bool is_denied(const struct loop_rate *rate, const struct scale_pairs *kept, double cost_ns, double rate_per_s)
{
    for (int at = 0; at < LOOP_SCALES; at++) {
        struct loop_scale other = rate->scales[at];
        if (!is_clean(rate, &other))
            continue;
        scale_summarise(&other, &kept[at], cost_ns);
        if (is_steady(&other) && !agree(other.rate_per_s, rate_per_s))
            return true;
    }
    return false;
}

/*
 * Turns a second of all the time that pairs stand for. Of runs of n turns, 1 - t / n of the pairs with t turns between
 * them are of one run: fewer the faster it went. Each pair that is stands for as many, and all together for those that
 * began in the loop: n is what makes it so. A median would be of the usual moments alone. 0: no n does.
 */
static double rate_of_all(const struct pair *pairs, size_t count, double all, double cost_ns)
{
    double most = 0, low = 0, high = 1, weights = 0, turns = 0, free_ns = 0;
    for (size_t at = 0; at < count; at++)
        most = fmax(most, pairs[at].turns);
    for (int step = 0; step < 50; step++) { /* part = most / n */
        double part = (low + high) / 2;
        weights = turns = free_ns = 0;
        for (size_t at = 0; at < count && most > 0; at++) {
            double weight = 1 / (1 - part * pairs[at].turns / most);
            weights += weight;
            turns += weight * pairs[at].turns;
            free_ns += weight * fmax(pairs[at].distance_ns - cost_ns * pairs[at].samples, 1);
        }
        *(weights < all ? &low : &high) = part;
    }
    return free_ns > 0 ? turns / free_ns * 1e9 : 0;
}

static double rate_of_scale(const struct loop_scale *scale, const struct scale_pairs *kept, double cost_ns)
{
    return rate_of_all(kept->pairs.items, kept->pairs.count, (double)scale->pairs + scale->left, cost_ns);
}

static void rate_fill(struct loop_rate *rate, const struct scale_pairs *kept, const struct loop_scale *longer,
                      double cost_ns)
{
    rate->accepted = true;
    rate->why_not = NULL;
    rate->rate_per_s = rate_of_scale(longer, kept, cost_ns);
    rate->long_rate_per_s = longer->rate_per_s;
    rate->long_distance_ns = longer->distance_ns;
    rate->pairs = (uint32_t)kept->pairs.count;
    rate->sample_cost_ns = cost_ns;
}

/* Try two scales; on success fill the rate. */
static bool accept(struct loop_rate *rate, const struct scale_pairs *kept, int near, int far)
{
    struct loop_scale shorter = rate->scales[near], longer = rate->scales[far];
    if (longer.distance_ns < APART_LEAST * shorter.distance_ns)
        return false;
    double cost_ns = sample_cost(&shorter, &longer);
    scale_summarise(&shorter, &kept[near], cost_ns);
    scale_summarise(&longer, &kept[far], cost_ns);
    if (!is_steady(&shorter) || !is_steady(&longer) || !agree(shorter.rate_per_s, longer.rate_per_s) ||
        !agree(rate_of_scale(&shorter, &kept[near], cost_ns), rate_of_scale(&longer, &kept[far], cost_ns)) ||
        is_denied(rate, kept, cost_ns, longer.rate_per_s))
        return false;
    rate_fill(rate, &kept[far], &longer, cost_ns);
    rate->short_rate_per_s = shorter.rate_per_s;
    rate->short_distance_ns = shorter.distance_ns;
    return true;
}

static bool is_uneven(const struct loop_scale *scale)
{
    return scale->spread >= UNEVEN_LEAST;
}

/* Why no two scales would do, by what is missing first. */
static const char *refusal(const struct loop_rate *rate)
{
    uint32_t pairs = 0, left = 0, backward = 0, contrary = 0, filled = 0, uneven = 0;
    for (int at = 0; at < LOOP_SCALES; at++) {
        const struct loop_scale *scale = &rate->scales[at];
        pairs += scale->pairs;
        left += scale->left;
        backward += scale->backward;
        contrary += scale->contrary;
        filled += scale->rate_per_s > 0;
        uneven += scale->rate_per_s > 0 && is_uneven(scale);
    }
    if (pairs < 2 * LOOP_PAIRS_LEAST)
        return "too few samples followed one another within one run of the loop";
    if (contrary * 2 > pairs)
        return "its counting registers contradict one another";
    if (backward * 2 > pairs || left > pairs)
        return "the loop begins anew too often between two samples";
    if (filled < 2)
        return "samples came at one distance only: two sampling periods are needed";
    if (!uneven)
        return "samples came at even distances only, which a loop that is entered again can fool";
    return "rates at two distances between samples contradict each other: the loop is entered again between samples, "
           "or its speed changes";
}

/* ---- by how turns grow with uneven distances ---- */

struct slope { /* turns = rate * (distance - cost): what a sample takes is the same at every distance */
    double rate_per_s, cost_ns, distance_ns;
};

static int nearer_compare(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    return (left->distance_ns > right->distance_ns) - (left->distance_ns < right->distance_ns);
}

/* Theil and Sen's, of pairs by distance: each with the one half of them further. 0: too few that differ. */
static double slope_middle(const struct pair *pairs, size_t count)
{
    double *slopes = memory_alloc((count + 1) * sizeof(*slopes));
    size_t half = count / 2, found = 0;
    for (size_t at = 0; at + half < count; at++)
        if (pairs[at + half].distance_ns > pairs[at].distance_ns + 1)
            slopes[found++] =
                (pairs[at + half].turns - pairs[at].turns) / (pairs[at + half].distance_ns - pairs[at].distance_ns);
    if (found)
        qsort(slopes, found, sizeof(*slopes), double_compare);
    double middle = found >= LOOP_PAIRS_LEAST ? quantile(slopes, found, 0.5) : 0;
    free(slopes);
    return middle;
}

static double cost_middle(const struct pair *pairs, size_t count, double rate_per_ns)
{
    double *costs = memory_alloc((count + 1) * sizeof(*costs));
    for (size_t at = 0; at < count; at++)
        costs[at] = pairs[at].distance_ns - pairs[at].turns / rate_per_ns;
    qsort(costs, count, sizeof(*costs), double_compare);
    double middle = quantile(costs, count, 0.5);
    free(costs);
    return middle;
}

static size_t fitting_count(const struct pair *pairs, size_t count, const struct slope *slope)
{
    size_t fitting = 0;
    for (size_t at = 0; at < count; at++) {
        double free_ns = pairs[at].distance_ns - slope->cost_ns,
               off_ns = pairs[at].turns / slope->rate_per_s * 1e9 - free_ns;
        fitting += fabs(off_ns) <= PAIR_TOLERANCE * (free_ns > 0 ? free_ns : 0) + JITTER_NS;
    }
    return fitting;
}

/* Of uneven pairs up to such a distance. False: they show no speed that most of them agree on. */
static bool slope_find(struct slope *ret_slope, const struct scale_pairs *kept, double farthest_ns)
{
    vec(struct pair) pairs = {0};
    double anew = 0;
    for (int at = 0; at < LOOP_SCALES; at++) {
        vec_for_each(&kept[at].pairs, pair)
            if (pair->is_uneven && pair->distance_ns <= farthest_ns)
                *vec_push(&pairs) = *pair;
        vec_for_each(&kept[at].anew_ns, distance_ns)
            anew += *distance_ns <= farthest_ns;
    }
    double all = (double)pairs.count + anew;
    bool is_steady = false;
    if (pairs.count >= 3 * LOOP_PAIRS_LEAST && anew <= ANEW_MOST * all) {
        qsort(pairs.items, pairs.count, sizeof(*pairs.items), nearer_compare);
        struct slope slope = {.rate_per_s = slope_middle(pairs.items, pairs.count) * 1e9,
                              .distance_ns = pairs.items[pairs.count / 2].distance_ns};
        slope.cost_ns =
            slope.rate_per_s > 0 ? fmax(cost_middle(pairs.items, pairs.count, slope.rate_per_s * 1e-9), 0) : 0;
        is_steady = slope.rate_per_s > 0 && slope.cost_ns <= SAMPLE_COST_MOST_NS &&
                    (double)fitting_count(pairs.items, pairs.count, &slope) >= AGREEING_LEAST * all;
        *ret_slope = slope;
    }
    vec_done(&pairs);
    return is_steady;
}

/*
 * Of uneven neighbours no farther apart than that, which show more of the loop than of a sample: a loop that goes
 * faster now and then is left sooner then, or entered again so that it looks slow, which the nearest see least of.
 */
static double rate_of_near(const struct scale_pairs *kept, double farthest_ns, double cost_ns)
{
    vec(struct pair) pairs = {0};
    double nearest_ns = DROWNED * cost_ns, lost = 0;
    for (int at = 0; at < LOOP_SCALES; at++) {
        vec_for_each(&kept[at].pairs, pair)
            if (pair->is_uneven && pair->distance_ns > nearest_ns && pair->distance_ns <= farthest_ns)
                *vec_push(&pairs) = *pair;
        vec_for_each(&kept[at].anew_ns, distance_ns)
            lost += *distance_ns > nearest_ns && *distance_ns <= farthest_ns;
        vec_for_each(&kept[at].left_ns, distance_ns)
            lost += *distance_ns > nearest_ns && *distance_ns <= farthest_ns;
    }
    double rate_per_s = pairs.count >= LOOP_PAIRS_LEAST
                            ? rate_of_all(pairs.items, pairs.count, (double)pairs.count + lost, cost_ns)
                            : 0;
    vec_done(&pairs);
    return rate_per_s;
}

/* The same timer's samples, twice as far apart, have to say the same. */
static bool slope_accept(struct loop_rate *rate, const struct scale_pairs *kept, int far)
{
    struct loop_scale longer = rate->scales[far];
    struct slope slope;
    if (!slope_find(&slope, kept, longer.distance_ns / FAR_LEAST))
        return false;
    scale_summarise(&longer, &kept[far], slope.cost_ns);
    double all_per_s = rate_of_scale(&longer, &kept[far], slope.cost_ns);
    if (!is_steady(&longer) || !agree(slope.rate_per_s, longer.rate_per_s) || !agree(all_per_s, longer.rate_per_s) ||
        !agree(all_per_s, rate_of_near(kept, longer.distance_ns / FAR_LEAST, slope.cost_ns)) ||
        is_denied(rate, kept, slope.cost_ns, longer.rate_per_s))
        return false;
    rate_fill(rate, &kept[far], &longer, slope.cost_ns);
    rate->short_rate_per_s = slope.rate_per_s;
    rate->short_distance_ns = slope.distance_ns;
    return true;
}

static void scales_judge(struct loop_rate *rate, const struct scale_pairs *kept)
{
    rate->why_not = refusal(rate);
    for (int far = LOOP_SCALES - 1; far >= 0; far--)
        if (rate->scales[far].rate_per_s > 0 && slope_accept(rate, kept, far))
            return;
    for (int near = 0; near + 1 < LOOP_SCALES; near++)
        for (int far = LOOP_SCALES - 1; far > near; far--)
            if (is_clean(rate, &rate->scales[near]) && is_clean(rate, &rate->scales[far]) &&
                accept(rate, kept, near, far))
                return;
}

void loop_rate_find(struct loop_rate *ret_rate, const struct loop_rate_request *request)
{
    struct loop_rate rate = {.number = REGISTER_NONE};
    struct loop_inductions inductions;
    struct scale_pairs kept[LOOP_SCALES] = {0};
    loop_inductions_find(&inductions, request->rows, request->row_count, request->loop);
    if (!inductions.count) {
        rate.why_not = inductions.why_not;
        *ret_rate = rate;
        return;
    }
    rate.number = inductions.items[0].number;
    rate.step = inductions.items[0].step;
    pairs_find(&rate, kept, request, &inductions);
    for (int at = 0; at < LOOP_SCALES; at++)
        scale_summarise(&rate.scales[at], &kept[at], 0);
    scales_judge(&rate, kept);
    if (rate.accepted && request->most_per_s > 0 && rate.rate_per_s > 1.15 * request->most_per_s) {
        rate.accepted = false;
        rate.why_not = "its registers move faster than the loop can turn: entries look like turns";
    }
    for (int at = 0; at < LOOP_SCALES; at++) {
        vec_done(&kept[at].pairs);
        vec_done(&kept[at].anew_ns);
        vec_done(&kept[at].left_ns);
    }
    *ret_rate = rate;
}
