/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/call_guesses.h"

#include "base/arena.h"

#include <string.h>

static const double MOST = 0.5;
static const uint64_t STACKS_LEAST = 8;

struct guessing { /* of a function */
    double samples, guessed; /* in its regions; of these: laid at wrong guesses of branches */
};

static struct guessing *guessing_find(const struct loop_look *looks, size_t count, size_t functions,
                                      struct arena *arena)
{
    struct guessing *all = arena_array(arena, struct guessing, functions + 1);
    memset(all, 0, (functions + 1) * sizeof(*all));
    for (size_t at = 0; at < count; at++) {
        all[looks[at].region->function].samples += (double)looks[at].region->samples;
        all[looks[at].region->function].guessed += looks[at].samples[CAUSE_CONDITIONAL];
    }
    return all;
}

static bool mostly_guesses(const struct guessing *of)
{
    return of->samples > 0 && of->guessed >= MOST * of->samples;
}

static bool is_same_function(const struct stall_function *function, const struct stall_caller *caller)
{
    return function->name && caller->name && strcmp(function->name, caller->name) == 0 && function->dso &&
           caller->dso && strcmp(function->dso, caller->dso) == 0;
}

/* Of the stacks that tell who called it: how many were of that function. */
static uint64_t stacks_by(const struct stall_function *callee, const struct stall_function *caller)
{
    uint64_t stacks = 0;
    for (uint32_t at = 0; at < callee->caller_count; at++)
        stacks += is_same_function(caller, &callee->callers[at]) ? callee->callers[at].stacks : 0;
    return stacks;
}

/*
 * Most of its calls come from functions that wait for wrong guesses most of their time, and it takes no longer than
 * they do: no work of its own that their guesses would be little beside.
 */
static bool is_called_by_guessing(const struct stalls *stalls, uint32_t callee, const struct guessing *all)
{
    const struct stall_function *called = &stalls->functions[callee];
    uint64_t stacks = 0;
    double callers = 0;
    for (uint32_t at = 0; at < stalls->function_count; at++) {
        uint64_t here = at != callee && mostly_guesses(&all[at]) ? stacks_by(called, &stalls->functions[at]) : 0;
        stacks += here;
        callers += here ? all[at].samples : 0;
    }
    return called->stacks >= STACKS_LEAST && (double)stacks >= MOST * (double)called->stacks &&
           all[callee].samples <= callers;
}

/* Of the samples in functions that it calls most often of all, most are in such as wait for wrong guesses. */
static bool calls_guessing(const struct stalls *stalls, uint32_t caller, const struct guessing *all)
{
    struct guessing called = {0};
    for (uint32_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *one = &stalls->functions[at];
        if (at == caller || one->stacks < STACKS_LEAST ||
            (double)stacks_by(one, &stalls->functions[caller]) < MOST * (double)one->stacks)
            continue;
        called.samples += all[at].samples;
        called.guessed += mostly_guesses(&all[at]) ? all[at].samples : 0;
    }
    return mostly_guesses(&called);
}

void call_guesses_join(struct loop_look *looks, size_t count, const struct bottleneck_request *request,
                       struct arena *arena)
{
    const struct stalls *stalls = request->stalls;
    struct guessing *all = guessing_find(looks, count, stalls->function_count, arena);
    for (size_t at = 0; at < count; at++) {
        uint32_t function = looks[at].region->function;
        if (looks[at].quick_cause != CAUSE_CONDITIONAL && is_called_by_guessing(stalls, function, all))
            looks[at] = loop_look_of(request, looks[at].region, CAUSE_CONDITIONAL, arena);
        else if (looks[at].behind_calls > 0 && calls_guessing(stalls, function, all))
            loop_look_guess_calls(&looks[at]);
    }
}
