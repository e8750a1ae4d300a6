/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/stack_profile.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Places in a row: what one location stands for, or the callers of a stack. */
struct frame_list {
    uint32_t first, count; /* into frames */
};

struct list_key {
    const uint32_t *frames;
    size_t count;
};

/*
 * A stack is told by two lists. A location's own ends with the first place that isn't inlined, so equal frames are
 * equal lists.
 */
struct stack_key {
    const char *comm;
    uint32_t event, leaf, callers;
};

#define LIST_NONE UINT32_MAX

enum { ITEMS_AHEAD = 8 };

struct profiling {
    struct stack_profile *profile;
    const struct recording *recording;
    struct places *places;
    vec(uint32_t) frames;
    vec(struct frame_list) lists;
    struct hashmap list_map;
    vec(struct stack_key) keys; /* of each of the profile's stacks */
    struct hashmap map;         /* of those */
    uint32_t *of_location, *of_stack; /* lists: of a location, of a stack's callers; LIST_NONE: not asked for yet */
};

static bool list_equal(const void *context, uint32_t id, const void *key)
{
    const struct profiling *profiling = context;
    const struct frame_list *list = &profiling->lists.items[id];
    const struct list_key *sought = key;
    return list->count == sought->count &&
           (!list->count ||
            memcmp(profiling->frames.items + list->first, sought->frames, list->count * sizeof(*sought->frames)) == 0);
}

/* The list of the frames from `first` on, which are taken back if they are known. */
static uint32_t list_close(struct profiling *profiling, uint32_t first)
{
    struct list_key key = {profiling->frames.items + first, profiling->frames.count - first};
    uint64_t hash = key.count ? hash_bytes(key.frames, key.count * sizeof(*key.frames)) : 0;
    uint32_t id = hashmap_find(&profiling->list_map, hash, list_equal, profiling, &key);
    if (id != HASHMAP_ABSENT) {
        profiling->frames.count = first;
        return id;
    }
    id = (uint32_t)profiling->lists.count;
    *vec_push(&profiling->lists) = (struct frame_list){first, (uint32_t)key.count};
    hashmap_add(&profiling->list_map, hash, id);
    return id;
}

static void frames_push(struct profiling *profiling, const uint32_t *frames, size_t count)
{
    vec_reserve(&profiling->frames, profiling->frames.count + count);
    for (size_t at = 0; at < count; at++)
        profiling->frames.items[profiling->frames.count++] = frames[at];
}

static uint32_t location_list(struct profiling *profiling, uint32_t location)
{
    uint32_t first = (uint32_t)profiling->frames.count;
    if (location == LOCATION_NONE) {
        frames_push(profiling, &(uint32_t){places_of(profiling->places, location)}, 1);
        return list_close(profiling, first);
    }
    uint32_t *list = &profiling->of_location[location];
    if (*list == LIST_NONE) {
        const uint32_t *frames;
        size_t count = places_frames(profiling->places, location, &frames);
        frames_push(profiling, frames, count);
        *list = list_close(profiling, first);
    }
    return *list;
}

static uint32_t callers_list(struct profiling *profiling, uint32_t id)
{
    uint32_t *list = &profiling->of_stack[id];
    if (*list != LIST_NONE)
        return *list;
    const struct stack *stack = &profiling->recording->samples.stacks[id];
    const uint32_t *locations = profiling->recording->samples.frames + stack->first;
    uint32_t leaf = stack->of_callers ? 0 : 1, first = (uint32_t)profiling->frames.count;
    size_t count = stack_code_count(profiling->recording, locations, stack->count, leaf);
    for (size_t at = leaf; at < count; at++) {
        const uint32_t *frames;
        size_t found = places_frames(profiling->places, locations[at], &frames);
        frames_push(profiling, frames, found);
    }
    return *list = list_close(profiling, first);
}

static bool key_equal(const void *context, uint32_t id, const void *key)
{
    const struct profiling *profiling = context;
    const struct stack_key *a = &profiling->keys.items[id], *b = key;
    return a->leaf == b->leaf && a->callers == b->callers && a->comm == b->comm && a->event == b->event;
}

static uint64_t key_hash(const struct stack_key *key)
{
    return hash_combine(hash_u64((uint64_t)key->leaf << 32 | key->callers), (uintptr_t)key->comm + key->event);
}

static struct stack_key key_of(struct profiling *profiling, const struct tally_item *item)
{
    const struct samples *samples = &profiling->recording->samples;
    const struct stack *stack = item->stack == STACK_NONE ? NULL : &samples->stacks[item->stack];
    uint32_t leaf = stack && !stack->of_callers ? samples->frames[stack->first] : item->location;
    struct stack_key key = {.comm = strings_text(&profiling->recording->strings, item->comm), .event = item->event,
                            .leaf = location_list(profiling, leaf)};
    key.callers =
        stack ? callers_list(profiling, item->stack) : list_close(profiling, (uint32_t)profiling->frames.count);
    return key;
}

static void stack_add(struct profiling *profiling, const struct stack_key *key)
{
    struct stack_profile *profile = profiling->profile;
    const struct frame_list lists[] = {profiling->lists.items[key->leaf], profiling->lists.items[key->callers]};
    uint32_t first = (uint32_t)profile->frame_count, count = lists[0].count + lists[1].count;
    profile->frames =
        vec_reserve_bytes(profile->frames, &profile->frame_capacity, first + (size_t)count, sizeof(*profile->frames));
    for (size_t at = 0; at < array_count(lists); at++) {
        if (lists[at].count)
            memcpy(profile->frames + profile->frame_count, profiling->frames.items + lists[at].first,
                   lists[at].count * sizeof(*profile->frames));
        profile->frame_count += lists[at].count;
    }
    *vec_push(profile) = (struct profile_stack){.event = key->event, .comm = key->comm, .first = first, .count = count};
    *vec_push(&profiling->keys) = *key;
}

static void item_add(struct profiling *profiling, const struct tally_item *item)
{
    struct stack_profile *profile = profiling->profile;
    struct stack_key key = key_of(profiling, item);
    uint64_t hash = key_hash(&key);
    uint32_t met = hashmap_find(&profiling->map, hash, key_equal, profiling, &key);
    if (met == HASHMAP_ABSENT) {
        met = (uint32_t)profile->count;
        stack_add(profiling, &key);
        hashmap_add(&profiling->map, hash, met);
    }
    profile->items[met].samples += item->samples;
    profile->items[met].period += item->period;
    profile->events[item->event].samples += item->samples;
    profile->events[item->event].period += item->period;
}

/* An item whose turn comes soon: what was named already says where it will be looked for. */
static void item_fetch(const struct profiling *profiling, const struct tally_item *item)
{
    if (item->stack == STACK_NONE || item->location == LOCATION_NONE ||
        !profiling->recording->samples.stacks[item->stack].of_callers)
        return;
    struct stack_key key = {.comm = strings_text(&profiling->recording->strings, item->comm),
                            .event = item->event,
                            .leaf = profiling->of_location[item->location],
                            .callers = profiling->of_stack[item->stack]};
    hashmap_fetch(&profiling->map, key_hash(&key));
}

/* Lists that nobody asked for yet. */
static uint32_t *lists_unknown(size_t count)
{
    size_t bytes = memory_product(count + 1, sizeof(uint32_t));
    return memset(memory_alloc(bytes), 0xff, bytes);
}

static void profiling_done(struct profiling *profiling)
{
    vec_done(&profiling->frames);
    vec_done(&profiling->lists);
    vec_done(&profiling->keys);
    hashmap_done(&profiling->list_map);
    hashmap_done(&profiling->map);
    free(profiling->of_location);
    free(profiling->of_stack);
}

void stack_profile_build(struct stack_profile *profile, const struct sample_tally *tally,
                         const struct recording *recording, struct places *places)
{
    *profile = (struct stack_profile){.places = places};
    profile->events =
        vec_reserve_bytes(NULL, &profile->event_capacity, recording->event_count, sizeof(*profile->events));
    for (size_t at = 0; at < recording->event_count; at++)
        profile->events[profile->event_count++] =
            (struct profile_event){.name = recording->events[at].name, .counts_ns = recording->events[at].counts_ns};
    struct profiling profiling = {.profile = profile, .recording = recording, .places = places,
                                  .of_location = lists_unknown(recording->samples.location_count),
                                  .of_stack = lists_unknown(recording->samples.stack_count)};
    for (size_t at = 0; at < tally->count; at++) {
        if (at + ITEMS_AHEAD < tally->count)
            item_fetch(&profiling, &tally->items[at + ITEMS_AHEAD]);
        item_add(&profiling, &tally->items[at]);
    }
    profiling_done(&profiling);
}

void stack_profile_done(struct stack_profile *profile)
{
    vec_done(profile);
    free(profile->frames);
    free(profile->events);
    *profile = (struct stack_profile){0};
}
