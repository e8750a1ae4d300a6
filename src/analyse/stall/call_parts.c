/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/stall/call_parts.h"

#include "analyse/code/code_origin.h"
#include "analyse/profile/call_tree.h"
#include "analyse/sampled.h"
#include "analyse/stall/stalls.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double WHOLE_LEAST = 0.8;  /* of the stacks: else what is left may be of one kind */
static const double TRUNK_LEAST = 0.75; /* of all: below it paths part */
static const double PART_LEAST = 0.05;
static const double LEAD_LEAST = 0.2; /* of a part */
static const double PART_LARGE = 0.5; /* of all: what it parts into says more */
enum { STACKS_LEAST = 25, PATH_MOST = 256 };

struct paths {
    const struct recording *recording;
    const struct code_bundle *bundle;
    bool with_nameless;
    vec(uint32_t) places; /* indexes of the bundle's functions */
    vec(struct call_chain) chains;
    uint64_t met, whole;
};

static bool is_met(const uint32_t *path, uint32_t count, uint32_t place)
{
    for (uint32_t at = 0; at < count; at++)
        if (path[at] == place)
            return true;
    return false;
}

/* What begins a program or thread has no name where the C library's own functions have none. */
static bool is_beginning(const struct bundle_function *function, bool is_last)
{
    const char *slash = strrchr(function->dso, '/');
    bool is_c_library = strncmp(slash ? slash + 1 : function->dso, "libc.so", strlen("libc.so")) == 0;
    return code_is_start(function->name) || (is_last && !function->is_named && is_c_library);
}

/* Callers first, each function once. False: it doesn't reach a beginning. */
static bool path_of(const struct paths *paths, const struct stack *stack, uint32_t path[static PATH_MOST],
                    uint32_t *ret_count)
{
    const uint32_t *frames = &paths->recording->samples.frames[stack->first], last = stack->count - 1u;
    uint32_t count = 0;
    bool begins = false;
    for (uint32_t at = stack->count; at-- > 0 && count < (uint32_t)PATH_MOST;) {
        const struct bundle_function *function = code_bundle_find(paths->bundle, paths->recording, frames[at]);
        if (function && function->is_kernel)
            break;
        bool is_start = function && is_beginning(function, at && at == last);
        begins |= is_start;
        if (!function || is_start || !(function->is_named || paths->with_nameless))
            continue;
        uint32_t place = (uint32_t)(function - paths->bundle->functions);
        if (begins && !is_met(path, count, place))
            path[count++] = place;
    }
    *ret_count = count;
    return begins;
}

static void stack_add(struct paths *paths, const struct stack *stack, uint64_t samples)
{
    uint32_t path[PATH_MOST], count;
    paths->met += samples;
    if (!path_of(paths, stack, path, &count))
        return;
    paths->whole += samples;
    for (uint32_t at = 0; at < count; at++)
        *vec_push(&paths->places) = path[at];
    *vec_push(&paths->chains) = (struct call_chain){.count = count, .weight = samples, .samples = samples};
}

static bool counts(const struct recording *recording, const struct sample *sample, bool copied)
{
    bool again = sample->event < recording->event_count && recording->events[sample->event].counts_again;
    return copied ? again && sample->stack != STACK_NONE : stalls_counts_sample(recording, sample);
}

static void paths_gather(struct paths *paths, bool copied)
{
    const struct samples *samples = &paths->recording->samples;
    scoped_free uint64_t *weights = memory_alloc((samples->stack_count + 1) * sizeof(*weights));
    memset(weights, 0, (samples->stack_count + 1) * sizeof(*weights));
    paths->met = paths->whole = 0;
    paths->places.count = paths->chains.count = 0;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!counts(paths->recording, sample, copied))
            continue;
        if (sample->stack < samples->stack_count)
            weights[sample->stack] += sample->alike + UINT64_C(1);
        else
            paths->met += sample->alike + UINT64_C(1);
    }
    for (size_t at = 0; at < samples->stack_count; at++)
        if (weights[at])
            stack_add(paths, &samples->stacks[at], weights[at]);
}

static bool are_enough(const struct paths *paths)
{
    return paths->whole >= STACKS_LEAST && (double)paths->whole >= WHOLE_LEAST * (double)paths->met;
}

/* The deepest node that most of the paths through `at` go through. */
static uint32_t trunk_end(const struct call_tree *tree, uint32_t at, double all)
{
    for (;;) {
        uint32_t heaviest = tree->items[at].first_child;
        if (heaviest == CALL_NODE_NONE || (double)tree->items[heaviest].samples_total < TRUNK_LEAST * all)
            return at;
        at = heaviest;
    }
}

/* What has no name is known by what it calls, and so is what has most of the time. */
static void leads_find(struct call_part *part, const struct paths *paths, const struct call_tree *tree, uint32_t node)
{
    const struct bundle_function *functions = paths->bundle->functions;
    vec(uint32_t) open = {0};
    vec(struct sampled) leads = {0};
    for (uint32_t child = tree->items[node].first_child; child != CALL_NODE_NONE;
         child = tree->items[child].next_sibling)
        *vec_push(&open) = child;
    while (open.count) {
        const struct call_node *at = &tree->items[open.items[--open.count]];
        if (functions[at->place].is_named) {
            *vec_push(&leads) = (struct sampled){at->samples_total, at->place};
            continue;
        }
        for (uint32_t child = at->first_child; child != CALL_NODE_NONE; child = tree->items[child].next_sibling)
            *vec_push(&open) = child;
    }
    size_t count = sampled_join(leads.items, leads.count);
    for (size_t at = 0; at < count && part->lead_count < CALL_LEADS_MOST; at++) {
        double share = (double)leads.items[at].samples / (double)part->stacks;
        if (share >= LEAD_LEAST)
            part->leads[part->lead_count++] = (struct call_lead){functions[leads.items[at].index].name, share};
    }
    vec_done(&open);
    vec_done(&leads);
}

static void parts_take(struct call_parts *parts, const struct paths *paths, const struct call_tree *tree)
{
    double all = (double)paths->whole;
    uint32_t trunk = trunk_end(tree, CALL_TREE_ROOT, all);
    const struct bundle_function *functions = paths->bundle->functions;
    parts->below = trunk == CALL_TREE_ROOT ? NULL : functions[tree->items[trunk].place].name;
    parts->stacks = paths->whole;
    parts->count = 0;
    for (uint32_t at = tree->items[trunk].first_child; at != CALL_NODE_NONE && parts->count < CALL_PARTS_MOST;
         at = tree->items[at].next_sibling) {
        double samples = (double)tree->items[at].samples_total;
        if (samples < PART_LEAST * all)
            return;
        const struct bundle_function *function = &functions[tree->items[at].place];
        struct call_part *part = &parts->items[parts->count++];
        *part = (struct call_part){.name = function->name,
                                   .is_named = function->is_named,
                                   .is_told = function->is_told,
                                   .stacks = tree->items[at].samples_total,
                                   .share = wilson_interval(samples, all, all)};
        if (!function->is_named)
            leads_find(part, paths, tree, at);
        else if (samples >= PART_LARGE * all)
            leads_find(part, paths, tree, trunk_end(tree, at, samples));
    }
}

static void parts_of(struct call_parts *parts, struct paths *paths)
{
    size_t first = 0;
    vec_for_each (&paths->chains, chain) {
        chain->places = chain->count ? paths->places.items + first : NULL;
        first += chain->count;
    }
    struct call_tree tree = {0};
    call_tree_build(&tree, paths->chains.items, paths->chains.count, paths->bundle->count,
                    &(struct call_tree_limits){0});
    parts_take(parts, paths, &tree);
    call_tree_done(&tree);
}

void call_parts_find(struct call_parts *parts, const struct recording *recording, const struct code_bundle *bundle)
{
    struct paths paths = {.recording = recording, .bundle = bundle};
    *parts = (struct call_parts){0};
    for (int way = 0; way < 4 && parts->count < 2; way++) { /* functions with names say more than those without */
        paths.with_nameless = way >= 2;
        parts->user_only = way & 1;
        paths_gather(&paths, way & 1);
        if (are_enough(&paths))
            parts_of(parts, &paths);
    }
    if (parts->count < 2)
        *parts = (struct call_parts){0};
    vec_done(&paths.places);
    vec_done(&paths.chains);
}
