/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/call_callers.h"

#include "analyse/code/code_origin.h"
#include "analyse/time/library_frames.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double WHOLE_LEAST = 0.5; /* of a call's samples: else those that are whole may be of one kind */
static const double CHAIN_LEAST = 0.25;
enum { STACKS_LEAST = 8, NAMES_MOST = 3, NAME_WIDTH = 60 };

struct chain {
    const char *words;
    uint64_t weight;
};

struct chains {
    struct chain *items;
    size_t count, capacity;
    uint64_t whole;
};

/* What stands in Go's programs between their own code and the kernel, and what begins its threads and theirs. */
static bool is_plumbing(const char *name)
{
    static const char *const beginnings[] = {"runtime.", "runtime/internal/", "internal/runtime/",
                                             "syscall.", "internal/poll.",    "golang.org/x/sys/"};
    for (size_t at = 0; at < array_count(beginnings); at++)
        if (strncmp(name, beginnings[at], strlen(beginnings[at])) == 0)
            return true;
    return false;
}

static bool is_beginning(const char *name)
{
    static const char *const goes[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};
    for (size_t at = 0; at < array_count(goes); at++)
        if (strncmp(name, goes[at], strlen(goes[at])) == 0)
            return true;
    return code_is_start(name);
}

/* One stack's functions that say something, innermost first. */
struct reading {
    const struct bundle_function *named[NAMES_MOST];
    const struct bundle_function *own;     /* the nearest of the program's own, where the others are installed code */
    const struct bundle_function *nearest; /* without a name */
    size_t count;
    bool is_whole;
};

static void frame_read(struct reading *reading, const struct bundle_function *function)
{
    if (!function->is_named && !function->is_told) {
        reading->nearest = reading->nearest || reading->count ? reading->nearest : function;
        return;
    }
    if (reading->count && strcmp(reading->named[reading->count - 1]->name, function->name) == 0)
        return; /* calls itself */
    if (reading->count < NAMES_MOST)
        reading->named[reading->count++] = function;
    else if (!reading->own && !code_is_installed(function->dso) && code_is_installed(reading->named[0]->dso))
        reading->own = function;
}

static struct reading stack_read(const struct recording *recording, const struct code_bundle *bundle, uint32_t stack_id)
{
    const struct samples *samples = &recording->samples;
    const struct stack *stack = &samples->stacks[stack_id];
    struct reading reading = {0};
    bool by_place = false;
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        uint32_t location = samples->frames[stack->first + depth];
        const struct bundle_function *function = code_bundle_find(bundle, recording, location);
        if (!function || samples->locations[location].cpu_mode == CPU_MODE_KERNEL)
            continue;
        by_place |= frame_is_library(recording, location);
        reading.is_whole |= is_beginning(function->name);
        bool library = frame_is_library(recording, location) || frame_is_wrapper(function->name) ||
                       is_plumbing(function->name) ||
                       (!by_place && !reading.count && frame_is_library_function(function->name));
        if (!library && !is_beginning(function->name))
            frame_read(&reading, function);
    }
    return reading;
}

/* What a function tells of itself is left out where it would fill the line. */
static void name_add(struct text *words, const struct bundle_function *function)
{
    size_t length = strlen(function->name), width = length;
    const char *remark = function->is_named ? NULL : strstr(function->name, " (");
    if (length > NAME_WIDTH)
        width = remark ? (size_t)(remark - function->name) : NAME_WIDTH;
    text_printf(words, "%s%.*s%s", words->length ? ", " : "", (int)width, function->name,
                width < length && !remark ? "..." : "");
}

static void chain_add(struct chains *chains, const struct reading *reading, uint64_t weight, struct arena *arena)
{
    scoped_text struct text words = {0};
    if (reading->own)
        name_add(&words, reading->own);
    for (size_t at = reading->count; at-- > 0;)
        name_add(&words, reading->named[at]);
    if (reading->nearest)
        name_add(&words, reading->nearest);
    if (!words.length)
        return;
    chains->whole += weight;
    for (size_t at = 0; at < chains->count; at++)
        if (strcmp(chains->items[at].words, text_string(&words)) == 0) {
            chains->items[at].weight += weight;
            return;
        }
    *vec_push(chains) = (struct chain){arena_string(arena, text_string(&words)), weight};
}

static int chain_compare(const void *a, const void *b)
{
    const struct chain *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return strcmp(left->words, right->words);
}

/* Frame pointers pass over whoever called the library: the same way with one more function behind it is the whole. */
static bool is_fuller(const char *words, const char *than)
{
    const char *rest = strstr(than, ", ");
    bool same = strncmp(words, than, strlen(than)) == 0 && words[strlen(than)] == ',';
    return same || (rest && strncmp(words, rest + 2, strlen(rest + 2)) == 0 && words[strlen(rest + 2)] == ',');
}

static struct call_callers callers_by(const struct recording *recording, const struct code_bundle *bundle,
                                      const struct call_stack *stacks, size_t count, uint64_t sampled, bool by_switches,
                                      struct arena *arena)
{
    struct call_callers callers = {.by_switches = by_switches};
    struct chains chains = {0};
    for (size_t at = 0; at < count; at++) {
        uint64_t weight = by_switches ? stacks[at].switched : stacks[at].sampled;
        struct reading reading = weight ? stack_read(recording, bundle, stacks[at].stack) : (struct reading){0};
        if (weight && (by_switches || reading.is_whole))
            chain_add(&chains, &reading, weight, arena);
    }
    bool enough =
        chains.whole >= STACKS_LEAST && (by_switches || (double)chains.whole >= WHOLE_LEAST * (double)sampled);
    if (enough)
        qsort(chains.items, chains.count, sizeof(*chains.items), chain_compare);
    for (size_t at = 0; enough && at < chains.count && at < CALL_CHAINS_MOST; at++) {
        double share = (double)chains.items[at].weight / (double)chains.whole;
        if (share >= CHAIN_LEAST)
            callers.chains[callers.count++] = (struct call_chain_words){chains.items[at].words, share};
    }
    vec_done(&chains);
    return callers;
}

struct call_callers call_callers_of(const struct recording *recording, const struct code_bundle *bundle,
                                    const struct call_stack *stacks, size_t count, uint64_t sampled,
                                    struct arena *arena)
{
    struct call_callers callers = callers_by(recording, bundle, stacks, count, sampled, false, arena),
                        switched = callers_by(recording, bundle, stacks, count, sampled, true, arena);
    if (!callers.count)
        return switched;
    if (switched.count && is_fuller(switched.chains[0].words, callers.chains[0].words))
        callers.chains[0].words = switched.chains[0].words;
    return callers;
}
