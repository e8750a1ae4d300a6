/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/comparison.h"

#include "base/scope.h"
#include "statistics/multiplicity.h"
#include "statistics/power.h"
#include "statistics/rank_sum.h"
#include "statistics/signed_rank.h"

#include <math.h>
#include <stdlib.h>

/* The values of one quantity in two arms: pairs, or two sets that have nothing to do with each other. */
struct pairs {
    double *a, *b, *differences; /* owner: the caller (free a) */
    size_t a_count, b_count;     /* equal, when paired */
    bool paired;
};

static void pairs_take(struct pairs *pairs, const struct run_table *table, const struct comparison_request *request,
                       size_t quantity)
{
    size_t most = table->block_count;
    pairs->paired = !request->unpaired;
    pairs->a = memory_alloc(memory_product(3 * most + 1, sizeof(*pairs->a)));
    pairs->b = pairs->a + most;
    pairs->differences = pairs->b + most;
    if (!pairs->paired) {
        pairs->a_count = run_table_column(table, request->a, quantity, pairs->a);
        pairs->b_count = run_table_column(table, request->b, quantity, pairs->b);
        return;
    }
    pairs->a_count = run_table_pairs(table, request->a, request->b, quantity, pairs->a, pairs->b);
    pairs->b_count = pairs->a_count;
    for (size_t at = 0; at < pairs->a_count; at++)
        pairs->differences[at] = pairs->b[at] - pairs->a[at];
}

static void pairs_done(struct pairs *pairs)
{
    free(pairs->a);
}

static size_t pairs_count(const struct pairs *pairs)
{
    return pairs->a_count < pairs->b_count ? pairs->a_count : pairs->b_count;
}

static struct interval pairs_ratio(const struct pairs *pairs, double alpha)
{
    return pairs->paired ? paired_ratio_interval_at(pairs->a, pairs->b, pairs->a_count, alpha)
                         : rank_sum_ratio(pairs->a, pairs->a_count, pairs->b, pairs->b_count, alpha);
}

/* What there is where no interval can be had: from the least to the greatest that any two values give. */
static struct interval pairs_range(const struct pairs *pairs)
{
    if (pairs->paired)
        return paired_ratio_range(pairs->a, pairs->b, pairs->a_count);
    if (!pairs_count(pairs))
        return (struct interval){0};
    double a_least = quantile(pairs->a, pairs->a_count, 0), b_least = quantile(pairs->b, pairs->b_count, 0);
    if (!(a_least > 0) || !(b_least > 0))
        return (struct interval){0};
    return interval_of(b_least / quantile(pairs->a, pairs->a_count, 1),
                       quantile(pairs->b, pairs->b_count, 0.5) / quantile(pairs->a, pairs->a_count, 0.5),
                       quantile(pairs->b, pairs->b_count, 1) / a_least);
}

/*
 * The surest that so many values can be is that all differences have one sign, or that all of one set are the smaller
 * ones.
 */
static size_t pairs_least(bool paired, double alpha)
{
    double chance = 2;
    size_t count = 0;
    for (; count < COMPARISON_PAIRS_LEAST || chance > alpha; count++)
        chance *= paired ? 0.5 : (double)(count + 1) / (double)(4 * count + 2);
    return count;
}

static const char *why_no_pairs(const struct run_table *table, const struct comparison_request *request,
                                size_t quantity)
{
    const char *of_a = run_table_why_not(table, request->a, quantity);
    const char *of_b = run_table_why_not(table, request->b, quantity);
    return of_a ? of_a : of_b ? of_b : "no block was complete";
}

/* How A differs from itself, 95 %; unknown unless A ran twice in each block. */
static struct interval noise_floor_of(const struct run_table *table, const struct comparison_request *request,
                                      size_t quantity)
{
    struct comparison_request itself = *request;
    if (request->again == SIZE_MAX)
        return (struct interval){0};
    itself.b = request->again;
    scoped(pairs_done) struct pairs pairs;
    pairs_take(&pairs, table, &itself, quantity);
    return pairs_ratio(&pairs, 0.05);
}

static bool excludes_1(const struct interval *ratio)
{
    return ratio->known && (ratio->low > 1 || ratio->high < 1);
}

/* Chance lets one command in twenty differ from itself; a difference that reaches no further means nothing then. */
static bool is_lost_in(const struct interval *floor, const struct interval *ratio)
{
    if (!excludes_1(floor) || !ratio->known)
        return false;
    double reach = fmax(fabs(log(floor->low)), fabs(log(floor->high)));
    return fmin(fabs(log(ratio->low)), fabs(log(ratio->high))) < reach;
}

static struct quantity_effect effect_of(const struct run_table *table, const struct comparison_request *request,
                                        size_t quantity, const struct pairs *pairs)
{
    struct quantity_effect effect = {
        .quantity = &table->quantities[quantity], .pair_count = pairs_count(pairs), .p = 1, .q = 1};
    if (!pairs_count(pairs)) {
        effect.why_not = why_no_pairs(table, request, quantity);
        return effect;
    }
    effect.a = quartile_interval(pairs->a, pairs->a_count);
    effect.b = quartile_interval(pairs->b, pairs->b_count);
    double alpha = request->effects_alpha;
    struct interval floor = noise_floor_of(table, request, quantity);
    effect.ratio = pairs_ratio(pairs, alpha);
    effect.lost_in_noise = is_lost_in(&floor, &effect.ratio);
    if (pairs->paired) {
        effect.difference = signed_rank_interval(pairs->differences, pairs->a_count, alpha);
        effect.p = signed_rank_p(pairs->differences, pairs->a_count);
    } else {
        effect.difference = rank_sum_interval(pairs->a, pairs->a_count, pairs->b, pairs->b_count, alpha);
        effect.p = rank_sum_p(pairs->a, pairs->a_count, pairs->b, pairs->b_count);
    }
    return effect;
}

static enum comparison_verdict judge(const struct comparison *comparison)
{
    const struct interval *ratio = &comparison->ratio;
    double effect = comparison->request.effect_ratio;
    if (!ratio->known || comparison->too_few_pairs)
        return COMPARISON_UNDECIDED;
    if (ratio->low >= 1 - effect && ratio->high <= 1 + effect)
        return COMPARISON_EQUIVALENT;
    if (comparison->lost_in_noise)
        return COMPARISON_UNDECIDED;
    if (ratio->high < 1)
        return COMPARISON_FASTER;
    if (ratio->low > 1)
        return COMPARISON_SLOWER;
    return COMPARISON_UNDECIDED;
}

static void decide(struct comparison *comparison, const struct run_table *table)
{
    const struct comparison_request *request = &comparison->request;
    scoped(pairs_done) struct pairs pairs;
    pairs_take(&pairs, table, request, request->quantity);
    comparison->decisive = effect_of(table, request, request->quantity, &pairs);
    comparison->ratio = pairs_ratio(&pairs, request->alpha);
    comparison->too_few_pairs = pairs_count(&pairs) < COMPARISON_PAIRS_LEAST || !comparison->ratio.known;
    comparison->pairs_least = pairs_least(pairs.paired, request->alpha);
    if (comparison->too_few_pairs)
        comparison->ratio = pairs_range(&pairs);
    comparison->noise_floor = noise_floor_of(table, request, request->quantity);
    comparison->self_differs = excludes_1(&comparison->noise_floor);
    comparison->lost_in_noise = is_lost_in(&comparison->noise_floor, &comparison->ratio);
    comparison->verdict = judge(comparison);
    struct interval at_95 = pairs_ratio(&pairs, 0.05);
    if (comparison->too_few_pairs || !at_95.known)
        return;
    comparison->detectable = ratio_detectable(&at_95);
    if (request->effect_ratio > 0)
        comparison->pairs_needed = pairs_needed(&at_95, pairs_count(&pairs), request->effect_ratio);
    double seen = expm1(fabs(log(comparison->ratio.mid)));
    if (seen > request->effect_ratio)
        comparison->pairs_for_seen = pairs_needed(&at_95, pairs_count(&pairs), seen);
}

static double effect_size(const struct quantity_effect *effect)
{
    return effect->ratio.known ? fabs(log(effect->ratio.mid)) : 0;
}

/* Surest first; among equally sure ones the largest. */
static int compare_effects(const void *a, const void *b)
{
    const struct quantity_effect *left = a, *right = b;
    if (left->q < right->q || left->q > right->q)
        return left->q < right->q ? -1 : 1;
    double of_left = effect_size(left), of_right = effect_size(right);
    return (of_left < of_right) - (of_left > of_right);
}

/*
 * One that was not measured, or that is the same in every pair, could not have been called different: it is no test
 * that the others have to share their errors with.
 */
static bool is_test(const struct quantity_effect *effect)
{
    return !effect->why_not && effect->p < 1;
}

static void rank_effects(struct comparison *comparison)
{
    scoped_free double *p = memory_alloc(memory_product(comparison->effect_count + 1, sizeof(*p)));
    size_t tests = 0;
    for (size_t at = 0; at < comparison->effect_count; at++)
        if (is_test(&comparison->effects[at]))
            p[tests++] = comparison->effects[at].p;
    false_discovery_rates(p, tests, p);
    for (size_t at = comparison->effect_count; at-- > 0;)
        if (is_test(&comparison->effects[at]))
            comparison->effects[at].q = p[--tests];
    qsort(comparison->effects, comparison->effect_count, sizeof(*comparison->effects), compare_effects);
}

void comparison_make(struct comparison *comparison, const struct run_table *table,
                     const struct comparison_request *request, struct arena *arena)
{
    *comparison = (struct comparison){.request = *request,
                                      .a = &table->arms[request->a],
                                      .b = &table->arms[request->b],
                                      .effects = arena_array(arena, struct quantity_effect, table->quantity_count)};
    decide(comparison, table);
    for (size_t at = 0; at < table->quantity_count; at++) {
        if (at == request->quantity)
            continue;
        scoped(pairs_done) struct pairs pairs;
        pairs_take(&pairs, table, request, at);
        comparison->effects[comparison->effect_count++] = effect_of(table, request, at, &pairs);
    }
    rank_effects(comparison);
}
