/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/stack_tree.h"

#include "analyse/profile/call_tree.h"
#include "analyse/profile/places.h"
#include "analyse/stall/stalls.h"
#include "base/scope.h"
#include "base/vec.h"

#include <string.h>

struct path { /* what tells samples' paths apart */
    uint32_t comm, stack, location;
    uint64_t samples;
};

struct building {
    const struct recording *recording;
    const struct code_bundle *bundle;
    struct arena *arena;
    struct strings texts;
    struct hashmap frame_map; /* by ids of name and dso */
    vec(struct stack_frame) frames;
    uint32_t *by_location;    /* frame; UINT32_MAX: not asked for yet */
    struct hashmap path_map;
    vec(struct path) paths;
    vec(uint32_t) chain_frames;
    vec(struct call_chain) chains;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static uint32_t frame_of(struct building *building, const char *name, const char *dso, bool is_kernel)
{
    uint64_t key = (uint64_t)strings_intern(&building->texts, name) << 32 | strings_intern(&building->texts, dso);
    uint32_t id = hashmap_find(&building->frame_map, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)building->frames.count;
    hashmap_add(&building->frame_map, key, id);
    *vec_push(&building->frames) = (struct stack_frame){
        arena_string(building->arena, name), arena_string(building->arena, dso), is_kernel};
    return id;
}

static bool is_kernel_dso(const struct recording *recording, uint32_t dso)
{
    return dso != DSO_NONE &&
           (recording->spaces.dsos[dso].kind == DSO_KERNEL || recording->spaces.dsos[dso].kind == DSO_MODULE);
}

static uint32_t frame_at(struct building *building, uint32_t location)
{
    if (building->by_location[location] != UINT32_MAX)
        return building->by_location[location];
    const struct recording *recording = building->recording;
    const struct bundle_function *function = code_bundle_find(building->bundle, recording, location);
    uint32_t dso = recording->samples.locations[location].dso;
    const char *path = dso == DSO_NONE ? "" : strings_text(&recording->strings, recording->spaces.dsos[dso].path);
    const char *file = path[0] ? last_part(path) : "unknown"; /* "[unknown]" has brackets of its own */
    const char *name = function ? function->name : file[0] == '[' ? file : arena_printf(building->arena, "[%s]", file);
    return building->by_location[location] = frame_of(building, name, last_part(path), is_kernel_dso(recording, dso));
}

static bool path_equal(const void *context, uint32_t id, const void *key)
{
    const struct building *building = context;
    const struct path *path = &building->paths.items[id], *sought = key;
    return path->comm == sought->comm && path->stack == sought->stack && path->location == sought->location;
}

static void sample_add(struct building *building, const struct sample *sample)
{
    /* A stack begins with the sample's own place. */
    struct path path = {sample->comm, sample->stack, sample->stack == STACK_NONE ? sample->location : LOCATION_NONE, 0};
    uint64_t hash = hash_combine(hash_combine(hash_u64(path.comm), path.stack), path.location);
    uint32_t id = hashmap_find(&building->path_map, hash, path_equal, building, &path);
    if (id == HASHMAP_ABSENT) {
        id = (uint32_t)building->paths.count;
        *vec_push(&building->paths) = path;
        hashmap_add(&building->path_map, hash, id);
    }
    building->paths.items[id].samples += 1 + (uint64_t)sample->alike;
}

static void chain_add(struct building *building, const struct path *path)
{
    const struct samples *samples = &building->recording->samples;
    uint32_t own = path->location;
    const struct stack *stack = path->stack == STACK_NONE ? NULL : &samples->stacks[path->stack];
    const uint32_t *locations = stack && stack->count ? samples->frames + stack->first : &own;
    size_t count = stack && stack->count ? stack->count : own < samples->location_count;
    size_t first = building->chain_frames.count;
    if (count)
        count = stack_code_count(building->recording, locations, count, 1);
    *vec_push(&building->chain_frames) =
        frame_of(building, strings_text(&building->recording->strings, path->comm), "", false);
    for (size_t at = count; at-- > 0;)
        *vec_push(&building->chain_frames) = frame_at(building, locations[at]);
    *vec_push(&building->chains) = (struct call_chain){
        .count = (uint32_t)(building->chain_frames.count - first), .weight = path->samples, .samples = path->samples};
}

/* Callers before what they called, siblings as the tree has them. */
static void nodes_list(struct stack_tree *tree, const struct call_tree *calls, struct arena *arena)
{
    vec(struct stack_node) open = {0}; /* frame: the node's number */
    tree->nodes = arena_array(arena, struct stack_node, calls->count + 1);
    vec(uint32_t) siblings = {0};
    *vec_push(&open) = (struct stack_node){CALL_TREE_ROOT, UINT32_MAX, 0};
    while (open.count) {
        struct stack_node at = open.items[--open.count];
        const struct call_node *node = &calls->items[at.frame];
        if (at.frame != CALL_TREE_ROOT)
            tree->nodes[tree->node_count++] = (struct stack_node){node->place, at.depth, node->samples_total};
        siblings.count = 0;
        for (uint32_t child = node->first_child; child != CALL_NODE_NONE; child = calls->items[child].next_sibling)
            *vec_push(&siblings) = child;
        while (siblings.count)
            *vec_push(&open) = (struct stack_node){siblings.items[--siblings.count], at.depth + 1, 0};
    }
    vec_done(&open);
    vec_done(&siblings);
}

/* The whole tree, or of one that is too large the heavy branches. */
static void tree_build(struct stack_tree *tree, struct building *building, size_t nodes_most)
{
    size_t at_frame = 0;
    for (size_t at = 0; at < building->chains.count; at++) {
        building->chains.items[at].places = building->chain_frames.items + at_frame;
        at_frame += building->chains.items[at].count;
    }
    struct call_tree_limits limits = {0};
    struct call_tree calls = {0};
    for (;;) {
        call_tree_build(&calls, building->chains.items, building->chains.count, building->frames.count, &limits);
        if (calls.count <= nodes_most + 1 || limits.weight_least > tree->sample_count)
            break;
        call_tree_done(&calls);
        limits.weight_least = limits.weight_least ? limits.weight_least * 2 : 2;
    }
    tree->folded_below = limits.weight_least;
    nodes_list(tree, &calls, building->arena);
    call_tree_done(&calls);
}

static const char *event_name(const struct recording *recording)
{
    for (size_t at = 0; at < recording->samples.count; at++)
        if (stalls_counts_sample(recording, &recording->samples.items[at]))
            return recording->events[recording->samples.items[at].event].name;
    return NULL;
}

void stack_tree_find(struct stack_tree *tree, const struct recording *recording, const struct code_bundle *bundle,
                     size_t nodes_most, struct arena *arena)
{
    struct building building = {.recording = recording, .bundle = bundle, .arena = arena};
    *tree = (struct stack_tree){.event = event_name(recording)};
    const struct samples *samples = &recording->samples;
    strings_init(&building.texts);
    building.by_location = memory_alloc((samples->location_count + 1) * sizeof(*building.by_location));
    memset(building.by_location, 0xff, (samples->location_count + 1) * sizeof(*building.by_location));
    for (size_t at = 0; at < samples->count; at++)
        if (stalls_counts_sample(recording, &samples->items[at]) &&
            samples->items[at].location < samples->location_count) {
            sample_add(&building, &samples->items[at]);
            tree->sample_count += 1 + (uint64_t)samples->items[at].alike;
        }
    vec_for_each (&building.paths, path)
        chain_add(&building, path);
    if (building.chains.count)
        tree_build(tree, &building, nodes_most);
    tree->frames = arena_copy(arena, building.frames.items, building.frames.count * sizeof(*building.frames.items));
    tree->frame_count = building.frames.count;
    strings_done(&building.texts);
    hashmap_done(&building.frame_map);
    hashmap_done(&building.path_map);
    vec_done(&building.frames);
    vec_done(&building.paths);
    vec_done(&building.chain_frames);
    vec_done(&building.chains);
    free(building.by_location);
}
