/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/stall/call_classes.h"

#include "analyse/code/code_origin.h"
#include "base/scope.h"
#include "base/vec.h"

#include <string.h>

enum { STACKS_LEAST = 25, NO_CLASS = CALL_CLASSES_MOST, NO_FUNCTION = UINT32_MAX };

struct search {
    const struct recording *recording;
    const struct code_bundle *bundle;
    const uint64_t *weights; /* by stack: samples */
    const uint8_t *of;       /* by function: its class */
};

static uint64_t weights_gather(uint64_t *weights, const struct recording *recording)
{
    const struct samples *samples = &recording->samples;
    uint64_t all = 0;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        bool is_copied = sample->event < recording->event_count && recording->events[sample->event].counts_again &&
                         sample->stack < samples->stack_count;
        if (!is_copied)
            continue;
        weights[sample->stack] += sample->alike + UINT64_C(1);
        all += sample->alike + UINT64_C(1);
    }
    return all;
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static void classes_give(uint8_t *of, const struct code_bundle *bundle, call_class_of *class_of)
{
    for (size_t at = 0; at < bundle->count; at++) {
        const struct bundle_function *function = &bundle->functions[at];
        unsigned class = function->is_kernel ? NO_CLASS : class_of(function->name, last_part(function->dso));
        of[at] = (uint8_t)(class < NO_CLASS ? class : NO_CLASS);
    }
}

/* Index of the function at a frame, or NO_FUNCTION. */
static uint32_t function_at(const struct search *search, const struct stack *stack, uint32_t depth)
{
    uint32_t frame = search->recording->samples.frames[stack->first + depth];
    const struct bundle_function *function = code_bundle_find(search->bundle, search->recording, frame);
    return function && !function->is_kernel ? (uint32_t)(function - search->bundle->functions) : NO_FUNCTION;
}

/* Go's stacks begin so; of the scheduler's own nothing is known of who left it. */
static bool is_beginning(const char *name)
{
    static const char *const go[] = {"runtime.goexit", "runtime.main", "runtime.mstart", "runtime.rt0_go"};
    for (size_t at = 0; at < array_count(go); at++)
        if (strncmp(name, go[at], strlen(go[at])) == 0)
            return true;
    return code_is_start(name);
}

struct met {          /* on one stack */
    uint64_t classes; /* a bit each */
    unsigned innermost;
    bool is_whole;
};

static struct met met_on(const struct search *search, const struct stack *stack)
{
    struct met met = {.innermost = NO_CLASS};
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        uint32_t function = function_at(search, stack, depth);
        unsigned class = function == NO_FUNCTION ? NO_CLASS : search->of[function];
        met.is_whole |= function != NO_FUNCTION && is_beginning(search->bundle->functions[function].name);
        if (class == NO_CLASS)
            continue;
        met.innermost = met.innermost == NO_CLASS ? class : met.innermost;
        met.classes |= UINT64_C(1) << class;
    }
    return met;
}

/*
 * The outermost frame of the class, and the nearest one behind it that says what it is: of the program's own code, as
 * libraries call for others, else of any.
 */
static void entry_count(const struct search *search, const struct stack *stack, unsigned class, uint64_t weight,
                        uint64_t *entries, uint64_t *callers)
{
    uint32_t entry = NO_FUNCTION, caller = NO_FUNCTION, own = NO_FUNCTION;
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        uint32_t function = function_at(search, stack, depth);
        if (function == NO_FUNCTION)
            continue;
        const struct bundle_function *named = &search->bundle->functions[function];
        if (search->of[function] == class) {
            entry = function;
            caller = own = NO_FUNCTION;
        } else if (entry != NO_FUNCTION && (named->is_named || named->is_told)) {
            caller = caller == NO_FUNCTION ? function : caller;
            own = own == NO_FUNCTION && !code_is_installed(named->dso) ? function : own;
        }
    }
    caller = own == NO_FUNCTION ? caller : own;
    if (entry != NO_FUNCTION)
        entries[entry] += weight;
    if (caller != NO_FUNCTION)
        callers[caller] += weight;
}

static uint32_t most_of(const uint64_t *counts, size_t count)
{
    uint32_t best = NO_FUNCTION;
    for (uint32_t at = 0; at < count; at++)
        if (counts[at] && (best == NO_FUNCTION || counts[at] > counts[best]))
            best = at;
    return best;
}

static void entry_find(struct call_class *item, const struct search *search, unsigned class)
{
    const struct samples *samples = &search->recording->samples;
    size_t count = search->bundle->count, bytes = (count + 1) * sizeof(uint64_t);
    scoped_free uint64_t *entries = memory_alloc(bytes), *callers = memory_alloc(bytes);
    memset(entries, 0, bytes);
    memset(callers, 0, bytes);
    for (uint32_t at = 0; at < samples->stack_count; at++)
        if (search->weights[at])
            entry_count(search, &samples->stacks[at], class, search->weights[at], entries, callers);
    uint32_t entry = most_of(entries, count), caller = most_of(callers, count);
    if (entry != NO_FUNCTION) {
        item->entry = search->bundle->functions[entry].name;
        item->entry_dso = last_part(search->bundle->functions[entry].dso);
    }
    if (caller != NO_FUNCTION) {
        item->caller = search->bundle->functions[caller].name;
        item->caller_stacks = callers[caller];
    }
}

static void stacks_count(struct call_classes *classes, const struct search *search,
                         uint64_t cut[static CALL_CLASSES_MOST])
{
    const struct samples *samples = &search->recording->samples;
    for (uint32_t at = 0; at < samples->stack_count; at++) {
        uint64_t weight = search->weights[at];
        struct met met = weight ? met_on(search, &samples->stacks[at]) : (struct met){.innermost = NO_CLASS};
        for (unsigned class = 0; weight && class < CALL_CLASSES_MOST; class ++) {
            bool is_on = met.classes >> class & 1;
            classes->items[class].stacks += is_on ? weight : 0;
            cut[class] += !is_on && !met.is_whole ? weight : 0;
        }
        if (met.innermost != NO_CLASS)
            classes->items[met.innermost].innermost += weight;
    }
}

void call_classes_find(struct call_classes *classes, const struct recording *recording,
                       const struct code_bundle *bundle, call_class_of *class_of)
{
    size_t bytes = (recording->samples.stack_count + 1) * sizeof(uint64_t);
    scoped_free uint64_t *weights = memory_alloc(bytes);
    scoped_free uint8_t *of = memory_alloc(bundle->count + 1);
    uint64_t cut[CALL_CLASSES_MOST] = {0};
    *classes = (struct call_classes){0};
    memset(weights, 0, bytes);
    classes->stacks = weights_gather(weights, recording);
    if (classes->stacks < STACKS_LEAST)
        return;
    classes_give(of, bundle, class_of);
    const struct search search = {recording, bundle, weights, of};
    stacks_count(classes, &search, cut);
    double all = (double)classes->stacks;
    for (unsigned class = 0; class < CALL_CLASSES_MOST; class ++) {
        struct call_class *item = &classes->items[class];
        item->share = wilson_interval((double)item->stacks, all, all);
        item->most = wilson_interval((double)(item->stacks + cut[class]), all, all).high;
        if (item->stacks)
            entry_find(item, &search, class);
    }
}
