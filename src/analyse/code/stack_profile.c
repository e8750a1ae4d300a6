/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/stack_profile.h"

#include "base/vec.h"

#include <string.h>

struct stack_key {
    uint32_t event;
    const char *comm;
    const uint32_t *frames;
    size_t count;
};

static bool stack_equal(const void *context, uint32_t id, const void *key)
{
    const struct stack_profile *profile = context;
    const struct profile_stack *stack = &profile->items[id];
    const struct stack_key *sought = key;
    return stack->event == sought->event && stack->comm == sought->comm && stack->count == sought->count &&
           memcmp(profile->frames + stack->first, sought->frames, sought->count * sizeof(*sought->frames)) == 0;
}

/* The stack as it would be added: at the end of the profile's frames, from where it is taken back if it is known. */
static uint32_t stack_find(struct stack_profile *profile, uint32_t event, const char *comm, uint32_t first)
{
    struct stack_key key = {event, comm, profile->frames + first, profile->frame_count - first};
    uint64_t hash = hash_combine(hash_combine(hash_u64((uintptr_t)comm), event), hash_bytes(key.frames, key.count * sizeof(*key.frames)));
    uint32_t id = hashmap_find(&profile->map, hash, stack_equal, profile, &key);
    if (id != HASHMAP_ABSENT) {
        profile->frame_count = first;
        return id;
    }
    id = (uint32_t)profile->count;
    *vec_push(profile) = (struct profile_stack){.event = event, .comm = comm, .first = first, .count = (uint32_t)key.count};
    hashmap_add(&profile->map, hash, id);
    return id;
}

static void frames_add(struct stack_profile *profile, struct places *places, uint32_t location)
{
    const uint32_t *frames;
    size_t count = places_frames(places, location, &frames);
    if (profile->frame_count + count > profile->frame_capacity)
        profile->frames = vec_reserve_bytes(profile->frames, &profile->frame_capacity, profile->frame_count + count, sizeof(*profile->frames));
    for (size_t at = 0; at < count; at++)
        profile->frames[profile->frame_count++] = frames[at];
}

static void item_add(struct stack_profile *profile, const struct tally_item *item, const struct recording *recording, struct places *places)
{
    const struct samples *samples = &recording->samples;
    const struct stack *stack = item->stack == STACK_NONE ? NULL : &samples->stacks[item->stack];
    uint32_t first = (uint32_t)profile->frame_count;
    const uint32_t *frames = stack ? samples->frames + stack->first : NULL;
    bool has_leaf = stack && stack->of_callers;
    size_t count = stack && stack->count ? stack_code_count(recording, frames, stack->count, has_leaf ? 0 : 1) : 0;
    if (has_leaf)
        frames_add(profile, places, item->location);
    for (size_t frame = 0; frame < count; frame++)
        frames_add(profile, places, frames[frame]);
    if (profile->frame_count == first)
        frames_add(profile, places, item->location);
    uint32_t met = stack_find(profile, item->event, strings_text(&recording->strings, item->comm), first);
    profile->items[met].samples += item->samples;
    profile->items[met].period += item->period;
    profile->events[item->event].samples += item->samples;
    profile->events[item->event].period += item->period;
}

void stack_profile_build(struct stack_profile *profile, const struct sample_tally *tally, const struct recording *recording,
                         struct places *places)
{
    *profile = (struct stack_profile){.places = places};
    profile->events = vec_reserve_bytes(NULL, &profile->event_capacity, recording->event_count, sizeof(*profile->events));
    for (size_t at = 0; at < recording->event_count; at++)
        profile->events[profile->event_count++] =
            (struct profile_event){.name = recording->events[at].name, .counts_ns = recording->events[at].counts_ns};
    for (size_t at = 0; at < tally->count; at++)
        item_add(profile, &tally->items[at], recording, places);
}

void stack_profile_done(struct stack_profile *profile)
{
    vec_done(profile);
    free(profile->frames);
    free(profile->events);
    hashmap_done(&profile->map);
    *profile = (struct stack_profile){0};
}
