/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_origin.h"
#include "analyse/stall/stall_work.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 64 }; /* of a stack, that are looked at */

/* A call met in stacks: of one function by another, at one place. */
struct call {
    const struct bundle_function *callee, *caller;
    uint32_t location; /* where it returns to */
    bool is_owner;     /* on whose behalf, behind who called */
    uint64_t stacks;
};

struct calls {
    struct call *items;
    size_t count, capacity;
    struct hashmap by_place;
};

static void call_add(struct calls *calls, const struct call *call)
{
    uint64_t key = hash_combine(hash_combine((uintptr_t)call->callee, call->location), call->is_owner);
    uint32_t at = hashmap_find(&calls->by_place, key, NULL, NULL, NULL);
    if (at == HASHMAP_ABSENT) {
        hashmap_add(&calls->by_place, key, (uint32_t)calls->count);
        *vec_push(calls) = *call;
        return;
    }
    calls->items[at].stacks += call->stacks;
}

/*
 * What begins a thread or a program calls nothing; in a library without symbols (libstdc++'s threads) it has no name.
 */
static bool is_beginning(const struct bundle_function *callee, const struct bundle_function *caller)
{
    return code_is_start(caller->name) ||
           (!caller->is_named && code_is_installed(caller->dso) && !code_is_installed(callee->dso));
}

static bool code_is_known(const struct stall_work *work, const struct bundle_function *function)
{
    uint32_t index = work->index_of[function - work->bundle->functions];
    return index != NO_INDEX && work->decoded.items[index].count;
}

/*
 * The call that returns to a location, or NULL: its code isn't known. Unwound places lie a byte before where they
 * return to.
 */
static const struct instruction *call_before(struct stall_work *work, const struct bundle_function *caller,
                                             uint32_t location)
{
    uint32_t index = work->index_of[caller - work->bundle->functions];
    if (!code_is_known(work, caller))
        return NULL;
    const struct stall_code *code = &work->decoded.items[index];
    uint64_t inside = work->recording->samples.locations[location].dso_addr - caller->dso_addr + caller->shown_addr - 1;
    size_t low = 0, high = code->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (code->items[middle].addr <= inside)
            low = middle;
        else
            high = middle;
    }
    const struct instruction *call = &code->items[low];
    return call->addr <= inside && inside < call->addr + call->length && call->class == INSTRUCTION_CALL ? call : NULL;
}

/*
 * What waits where a function begins waited for its call's target only if that had to be looked up. A place in the
 * binary's own table of addresses stays the same.
 */
static void entry_note(struct stall_work *work, const struct bundle_function *caller, const uint32_t *frames,
                       uint64_t samples)
{
    const struct stall_place *place = stall_place_of(work, frames[0]);
    if (place->sampled > 1)
        return;
    const struct instruction *call = call_before(work, caller, frames[1]);
    if (!call)
        return;
    work->stalls->entry_stacks += samples;
    work->stalls->entry_lookups += call->has_target || call->memory.is_relative ? 0 : samples;
}

/* NULL: it is in none of the same binary's functions. */
static const struct bundle_function *function_at(const struct code_bundle *bundle, const struct bundle_function *near,
                                                 uint64_t shown_addr)
{
    size_t at = (size_t)(near - bundle->functions);
    bool is_before = shown_addr < near->shown_addr;
    while (at < bundle->count && strcmp(bundle->functions[at].dso, near->dso) == 0) {
        const struct bundle_function *function = &bundle->functions[at];
        if (shown_addr >= function->shown_addr && shown_addr - function->shown_addr < function->size_bytes)
            return function;
        at = is_before ? at - 1 : at + 1; /* before the first: more than there are */
    }
    return NULL;
}

/*
 * A place that a stack returns to stands behind a call. Where it doesn't, or that call leads to another function for
 * certain, the stack left out who called, or guessed: a library that calls a function of its own didn't call the
 * program. A function with a name may have been jumped to from there.
 */
static bool may_have_called(struct stall_work *work, const struct bundle_function *caller,
                            const struct bundle_function *callee, uint32_t location)
{
    bool is_within = strcmp(caller->dso, callee->dso) == 0;
    bool is_out = strstr(caller->dso, ".so") && !strstr(callee->dso, ".so"); /* out of a library, into a program */
    if ((is_within ? callee->is_named : !is_out) || !code_is_known(work, caller))
        return true;
    const struct instruction *call = call_before(work, caller, location);
    const struct bundle_function *called =
        call && call->has_target ? function_at(work->bundle, caller, call->target) : NULL;
    return call && (!called || called == callee);
}

/*
 * Who called, and of installed code on whose behalf: the nearest of the program's own or, without that, the nearest
 * that a name or what it tells of itself makes known.
 */
static void stack_read(struct stall_work *work, struct calls *calls, const struct stack *stack, uint64_t samples)
{
    const uint32_t *frames = &work->recording->samples.frames[stack->first];
    const struct bundle_function *callee =
        stack->count ? code_bundle_find(work->bundle, work->recording, frames[0]) : NULL;
    struct call direct = {0}, own = {0}, named = {0};
    bool goes_on = callee != NULL, is_first = true;
    const struct bundle_function *before =
        goes_on && stack->count > 1 ? code_bundle_find(work->bundle, work->recording, frames[1]) : NULL;
    if (before)
        entry_note(work, before, frames, samples);
    for (uint32_t depth = 1; goes_on && depth < stack->count && depth < FRAMES_MOST; depth++) {
        const struct bundle_function *caller = code_bundle_find(work->bundle, work->recording, frames[depth]);
        if (!caller)
            break; /* unknown code: who stands behind it is anybody's */
        if (caller == callee || is_beginning(callee, caller))
            continue;
        struct call call = {.callee = callee, .caller = caller, .location = frames[depth], .stacks = samples};
        bool is_own = !code_is_installed(caller->dso);
        if (is_first && may_have_called(work, caller, callee, frames[depth]))
            direct = call;
        is_first = false;
        named = named.caller || !(caller->is_named || caller->is_told) ? named : call;
        own = is_own ? call : own;
        goes_on = !is_own;
    }
    if (direct.caller)
        call_add(calls, &direct);
    struct call *owner = own.caller ? &own : &named;
    owner->is_owner = true;
    if (owner->caller && owner->caller != direct.caller && code_is_installed(callee->dso))
        call_add(calls, owner);
}

static struct stall_caller caller_of(const struct stall_work *work, const struct call *call)
{
    const char *slash = strrchr(call->caller->dso, '/');
    uint64_t addr = work->recording->samples.locations[call->location].dso_addr;
    /* It returns to what may be the next line's already. */
    const struct bundle_line *line = bundle_function_line(call->caller, addr - 1, 1);
    line = line ? line : bundle_function_line(call->caller, addr, 1);
    if (line && code_is_installed(line->path)) /* a header's, compiled in: nobody's own line */
        line = NULL;
    return (struct stall_caller){.name = call->caller->name,
                                 .dso = slash ? slash + 1 : call->caller->dso,
                                 .path = line ? line->path : NULL,
                                 .line = line ? line->line : 0,
                                 .stacks = call->stacks};
}

static void caller_put(struct stall_caller *callers, uint32_t *count, const struct stall_caller *caller)
{
    for (uint32_t at = 0; at < *count; at++)
        if (strcmp(callers[at].name, caller->name) == 0 && strcmp(callers[at].dso, caller->dso) == 0) {
            callers[at].stacks += caller->stacks; /* from another place: the most frequent one came first */
            return;
        }
    if (*count < STALL_CALLERS_MOST)
        callers[(*count)++] = *caller;
}

static int call_compare(const void *a, const void *b)
{
    const struct call *left = a, *right = b;
    if (left->stacks != right->stacks)
        return left->stacks > right->stacks ? -1 : 1;
    return (left->location > right->location) - (left->location < right->location);
}

static int caller_compare(const void *a, const void *b)
{
    const struct stall_caller *left = a, *right = b;
    if (left->stacks != right->stacks)
        return left->stacks > right->stacks ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void calls_settle(struct stall_work *work, struct calls *calls)
{
    if (calls->count)
        qsort(calls->items, calls->count, sizeof(*calls->items), call_compare);
    vec_for_each(calls, call) {
        uint32_t index = work->index_of[call->callee - work->bundle->functions];
        if (index == NO_INDEX)
            continue;
        struct stall_function *function = &work->functions.items[index];
        struct stall_caller caller = caller_of(work, call);
        if (call->is_owner) {
            caller_put(function->owners, &function->owner_count, &caller);
            continue;
        }
        caller_put(function->callers, &function->caller_count, &caller);
        function->stacks += call->stacks;
        function->own_stacks += code_is_installed(call->caller->dso) ? 0 : call->stacks;
    }
    vec_for_each(&work->functions, function) {
        qsort(function->callers, function->caller_count, sizeof(*function->callers), caller_compare);
        qsort(function->owners, function->owner_count, sizeof(*function->owners), caller_compare);
    }
}

void stall_callers_find(struct stall_work *work)
{
    const struct recording *recording = work->recording;
    const struct samples *samples = &recording->samples;
    scoped_free uint64_t *counts = memory_alloc((samples->stack_count + 1) * sizeof(*counts));
    memset(counts, 0, (samples->stack_count + 1) * sizeof(*counts));
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (sample->stack < samples->stack_count && sample->event < recording->event_count &&
            recording->events[sample->event].counts_again)
            counts[sample->stack] += sample->alike + 1;
    }
    struct calls calls = {0};
    for (size_t at = 0; at < samples->stack_count; at++)
        if (counts[at])
            stack_read(work, &calls, &samples->stacks[at], counts[at]);
    calls_settle(work, &calls);
    hashmap_done(&calls.by_place);
    vec_done(&calls);
}
