/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/stall/call_holders.h"

#include "analyse/code/code_origin.h"
#include "analyse/sampled.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

static const double HOLDS_LEAST = 0.1, HOLDS_MOST = 0.9; /* of all stacks */
static const double SAME_LEAST = 0.9;                    /* of the larger one's stacks are in both */
static const double WIDTH_MOST = 0.35;                   /* of what it may be: a wider one says nothing */
enum { STACKS_LEAST = 25, CANDIDATES_MOST = 16 };

struct search {
    const struct recording *recording;
    const struct code_bundle *bundle;
    uint64_t *weights; /* by stack: samples */
    uint64_t all;
};

static void weights_gather(struct search *search)
{
    const struct samples *samples = &search->recording->samples;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        bool copied = sample->event < search->recording->event_count &&
                      search->recording->events[sample->event].counts_again && sample->stack < samples->stack_count;
        if (copied) {
            search->weights[sample->stack] += sample->alike + UINT64_C(1);
            search->all += sample->alike + UINT64_C(1);
        }
    }
}

/* Index of the function at a frame, or UINT32_MAX. */
static uint32_t function_at(const struct search *search, uint32_t frame)
{
    const struct bundle_function *function = code_bundle_find(search->bundle, search->recording, frame);
    return function && !function->is_kernel ? (uint32_t)(function - search->bundle->functions) : UINT32_MAX;
}

/* Its own name or what it tells says what it is; what begins a program holds all of it. */
static bool says_something(const struct bundle_function *function)
{
    return (function->is_named || function->is_told) && !code_is_start(function->name);
}

/* By function: samples whose stack it is on. Owner: the caller (free). */
static uint64_t *held_by(const struct search *search)
{
    const struct samples *samples = &search->recording->samples;
    uint64_t *held = memory_alloc((search->bundle->count + 1) * sizeof(*held));
    /* the stack that a function was met on last, counted from 1 */
    scoped_free uint32_t *met = memory_alloc((search->bundle->count + 1) * sizeof(*met));
    memset(held, 0, (search->bundle->count + 1) * sizeof(*held));
    memset(met, 0, (search->bundle->count + 1) * sizeof(*met));
    for (uint32_t at = 0; at < samples->stack_count; at++)
        for (uint32_t depth = 0; search->weights[at] && depth < samples->stacks[at].count; depth++) {
            uint32_t function = function_at(search, samples->frames[samples->stacks[at].first + depth]);
            if (function == UINT32_MAX || met[function] == at + 1)
                continue;
            met[function] = at + 1;
            held[function] += search->weights[at];
        }
    return held;
}

/* The candidates, most stacks first. */
static size_t candidates_take(const struct search *search, const uint64_t *held,
                              struct sampled candidates[static CANDIDATES_MOST])
{
    scoped_free struct sampled *all = memory_alloc((search->bundle->count + 1) * sizeof(*all));
    size_t count = 0;
    for (uint32_t at = 0; at < search->bundle->count; at++) {
        double share = (double)held[at] / (double)search->all;
        if (share >= HOLDS_LEAST && share <= HOLDS_MOST && says_something(&search->bundle->functions[at]))
            all[count++] = (struct sampled){held[at], at};
    }
    sampled_sort(all, count);
    count = count < CANDIDATES_MOST ? count : CANDIDATES_MOST;
    memcpy(candidates, all, count * sizeof(*all));
    return count;
}

struct held { /* what stacks say of the candidates */
    uint64_t both[CANDIDATES_MOST][CANDIDATES_MOST]; /* by pair: samples whose stacks hold both */
    /* by function and candidate, one bit for each: stacks hold the candidate below the function */
    uint16_t *below;
};
_Static_assert(CANDIDATES_MOST <= 16, "a bit for each candidate");

static void held_count(struct held *held, const struct search *search, const struct sampled *candidates, size_t count)
{
    const struct samples *samples = &search->recording->samples;
    for (uint32_t at = 0; at < samples->stack_count; at++) {
        uint16_t on = 0;
        for (uint32_t depth = 0; search->weights[at] && depth < samples->stacks[at].count; depth++) {
            uint32_t function = function_at(search, samples->frames[samples->stacks[at].first + depth]);
            if (function == UINT32_MAX)
                continue;
            held->below[function] |= on;
            for (size_t one = 0; one < count; one++)
                on |= (uint16_t)((candidates[one].index == function) << one);
        }
        for (size_t one = 0; one < count; one++)
            for (size_t other = 0; other < count; other++)
                held->both[one][other] += on >> one & on >> other & 1 ? search->weights[at] : 0;
    }
}

/* The outermost function of a stack that was cut off; UINT32_MAX: it is whole, or nothing is known of it. */
static uint32_t cut_in(const struct search *search, const struct stack *stack)
{
    uint32_t outermost = UINT32_MAX;
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        outermost = function_at(search, search->recording->samples.frames[stack->first + depth]);
        if (outermost != UINT32_MAX && code_is_start(search->bundle->functions[outermost].name))
            return UINT32_MAX;
    }
    return outermost;
}

static bool is_on(const struct search *search, const struct stack *stack, uint32_t function)
{
    for (uint32_t depth = 0; depth < stack->count; depth++)
        if (function_at(search, search->recording->samples.frames[stack->first + depth]) == function)
            return true;
    return false;
}

/* Samples of stacks that were cut off below where the candidate may have been. */
static uint64_t unknown_of(const struct search *search, const struct held *held, const struct sampled *candidates,
                           size_t at)
{
    const struct samples *samples = &search->recording->samples;
    uint64_t unknown = 0;
    for (uint32_t stack = 0; stack < samples->stack_count; stack++) {
        uint32_t cut = search->weights[stack] ? cut_in(search, &samples->stacks[stack]) : UINT32_MAX;
        if (cut != UINT32_MAX && !(held->below[cut] >> at & 1) &&
            !is_on(search, &samples->stacks[stack], candidates[at].index))
            unknown += search->weights[stack];
    }
    return unknown;
}

static struct interval share_of(const struct search *search, uint64_t known, uint64_t unknown)
{
    double all = (double)search->all;
    struct interval share = wilson_interval((double)known, all, all);
    if (unknown)
        share.high = wilson_interval((double)(known + unknown), all, all).high;
    return share;
}

/* One that it calls, for nearly all of its stacks, says it more exactly. */
static bool is_said_by_callee(const struct sampled *candidates, size_t count, size_t at, const struct held *held)
{
    for (size_t other = 0; other < count; other++)
        if (other != at && held->below[candidates[at].index] >> other & 1 &&
            (double)held->both[at][other] >= SAME_LEAST * (double)candidates[at].samples)
            return true;
    return false;
}

static void holders_take(struct call_holders *holders, const struct search *search)
{
    struct sampled candidates[CANDIDATES_MOST];
    struct held held = {0};
    size_t below_bytes = (search->bundle->count + 1) * sizeof(*held.below);
    scoped_free uint64_t *counts = held_by(search);
    scoped_free uint16_t *below = memory_alloc(below_bytes);
    memset(below, 0, below_bytes);
    held.below = below;
    size_t count = candidates_take(search, counts, candidates);
    held_count(&held, search, candidates, count);
    holders->stacks = search->all;
    for (size_t at = 0; at < count && holders->count < CALL_HOLDERS_MOST; at++) {
        uint64_t known = candidates[at].samples, unknown = unknown_of(search, &held, candidates, at);
        struct interval share = share_of(search, known, unknown);
        if (share.high - share.low > WIDTH_MOST || is_said_by_callee(candidates, count, at, &held))
            continue;
        holders->items[holders->count++] =
            (struct call_holder){search->bundle->functions[candidates[at].index].name, known, share};
    }
}

void call_holders_find(struct call_holders *holders, const struct recording *recording,
                       const struct code_bundle *bundle)
{
    struct search search = {.recording = recording, .bundle = bundle};
    size_t bytes = (recording->samples.stack_count + 1) * sizeof(*search.weights);
    *holders = (struct call_holders){0};
    search.weights = memory_alloc(bytes);
    memset(search.weights, 0, bytes);
    weights_gather(&search);
    if (search.all >= STACKS_LEAST)
        holders_take(holders, &search);
    free(search.weights);
}
