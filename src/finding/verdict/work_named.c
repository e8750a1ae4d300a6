/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/work_named.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"
#include "finding/named_work.h"
#include "finding/wording.h"

#include <string.h>

static const struct named_work *kind_of(const char *name, const char *dso)
{
    const struct stall_function function = {.name = name, .dso = dso ? dso : ""};
    return named_work_of(&function);
}

static size_t row_of(const struct named_work *kind)
{
    return (size_t)(kind - named_work_rows);
}

/* What has no kind of its own does what its callers, or those behind them, are at. */
static bool callers_count(const struct stall_function *function, const struct stall_caller *callers, uint32_t count,
                          double *samples)
{
    bool met = false;
    for (uint32_t at = 0; at < count && function->stacks; at++) {
        const struct named_work *kind = kind_of(callers[at].name, callers[at].dso);
        if (!kind)
            continue;
        samples[row_of(kind)] += (double)function->samples * (double)callers[at].stacks / (double)function->stacks;
        met = true;
    }
    return met;
}

static bool is_named_among(const char *comm, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t length = strcspn(at, "|");
        if (strncmp(comm, at, length) == 0)
            return true;
    }
    return false;
}

/* Of all CPU time, 0..1. */
static double share_of_threads(const struct activity *activity, const char *names)
{
    double own_s = 0, all_s = 0;
    for (uint32_t at = 0; names[0] && activity && activity->threads && at < activity->thread_count; at++) {
        const struct activity_thread *thread = &activity->threads[at];
        all_s += thread->user_s + thread->system_s;
        own_s += is_named_among(thread->comm, names) ? thread->user_s + thread->system_s : 0;
    }
    return all_s > 0 ? own_s / all_s : 0;
}

/* By names where no stack was copied, else by all that it calls; a runtime without names still names its threads. */
static double samples_compiling(const struct results *results, const struct named_work *kind)
{
    const struct stalls *stalls = results->stalls;
    double named = 0, called = samples_called_of(results, (enum called)kind->called, true),
           threads = share_of_threads(results->activity, kind->threads) * (double)stalls->sample_count;
    for (size_t at = 0; at < stalls->function_count; at++)
        if (function_is_called(&stalls->functions[at], (enum called)kind->called))
            named += (double)stalls->functions[at].samples;
    called = called > named ? called : named;
    return called > threads ? called : threads;
}

/* What a compiler put into a function is told by whose body its instructions are. Returns whether any of it was. */
static bool inlined_count(const struct stall_function *function, double *samples)
{
    bool met = false;
    for (size_t at = 0; at < function->row_count; at++) {
        const struct stall_row *row = &function->rows[at];
        const struct named_work *kind = row->inlined ? kind_of(row->inlined, function->dso) : NULL;
        if (!kind)
            continue;
        samples[row_of(kind)] += (double)row->samples;
        met = true;
    }
    return met;
}

/* Samples by row of named_work_rows. */
static double *samples_by_kind(const struct results *results, struct arena *arena)
{
    const struct stalls *stalls = results->stalls;
    double *samples = arena_array(arena, double, named_work_count);
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const struct named_work *kind = function->is_kernel ? NULL : named_work_of(function);
        bool met = function->is_kernel || kind || inlined_count(function, samples) ||
                   callers_count(function, function->callers, function->caller_count, samples) ||
                   callers_count(function, function->owners, function->owner_count, samples);
        kind = met ? kind : named_work_of_library(function);
        if (kind)
            samples[row_of(kind)] += (double)function->samples;
    }
    for (size_t row = 0; row < named_work_count; row++)
        if (named_work_rows[row].called)
            samples[row] = samples_compiling(results, &named_work_rows[row]);
    return samples;
}

static size_t largest_of(const double *samples)
{
    size_t best = 0;
    for (size_t row = 1; row < named_work_count; row++)
        best = samples[row] > samples[best] ? row : best;
    return best;
}

/* Some kinds share one advice. What only who may change the code can do is said so of others' programs. */
static void advise_once(struct work_named *work, const struct named_work *kind, const struct results *results,
                        struct arena *arena)
{
    size_t count = 0;
    while (count < array_count(work->advice) && work->advice[count])
        count++;
    const char *words = kind->advice ? wording_find("verdict", kind->advice) : NULL;
    if (!words || count == array_count(work->advice) || (count && strstr(work->advice[count - 1], words)))
        return;
    struct value advice = VALUE_TEXT("advice", words);
    work->advice[count] = kind->is_for_code && code_is_foreign(results)
                              ? wording_fill(arena, wording_find("common", "advice-own"), &advice, 1)
                              : words;
}

struct work_named work_named_of(const struct results *results, struct arena *arena)
{
    static const double SHOWN_LEAST = 0.1, MOST = 0.5;
    const struct stalls *stalls = results->stalls;
    struct work_named work = {0};
    if (!stalls || !stalls->sample_count)
        return work;
    double *samples = samples_by_kind(results, arena);
    scoped_text struct text out = {0};
    for (size_t shown = 0; shown < array_count(work.advice) + 1; shown++) {
        size_t best = largest_of(samples);
        const struct named_work *kind = &named_work_rows[best];
        double share = samples[best] / (double)stalls->sample_count;
        if (share < SHOWN_LEAST)
            break;
        text_printf(&out, "%s%s (%.0f %%)", shown ? ", " : "", kind->words, share * 100);
        work.share = shown ? work.share : share;
        if (share >= MOST) {
            work.is_most = true;
            work.check = kind->check ? wording_find("verdict", kind->check) : NULL;
        }
        advise_once(&work, kind, results, arena);
        samples[best] = 0;
    }
    if (out.length)
        work.sentence = arena_printf(arena, "By the names of functions, its work is %s.", text_string(&out));
    return work;
}
