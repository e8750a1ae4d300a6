/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/stack_profile.h"

#include "base/vec.h"

#include <string.h>

struct stack_key {
    uint32_t event, comm;
    const uint32_t *places;
    size_t count;
};

static bool stack_equal(const void *context, uint32_t id, const void *key)
{
    const struct stack_profile *profile = context;
    const struct profile_stack *stack = &profile->items[id];
    const struct stack_key *sought = key;
    return stack->event == sought->event && stack->comm == sought->comm && stack->count == sought->count &&
           memcmp(profile->places + stack->first, sought->places, sought->count * sizeof(*sought->places)) == 0;
}

/* The stack as it would be added: at the end of the profile's places, from where it is taken back if it is known. */
static uint32_t stack_find(struct stack_profile *profile, const struct tally_item *item, uint32_t first)
{
    struct stack_key key = {item->event, item->comm, profile->places + first, profile->place_count - first};
    uint64_t hash = hash_combine(hash_u64((uint64_t)key.event << 32 | key.comm), hash_bytes(key.places, key.count * sizeof(*key.places)));
    uint32_t id = hashmap_find(&profile->map, hash, stack_equal, profile, &key);
    if (id != HASHMAP_ABSENT) {
        profile->place_count = first;
        return id;
    }
    id = (uint32_t)profile->count;
    *vec_push(profile) = (struct profile_stack){.event = item->event, .comm = item->comm, .first = first, .count = (uint32_t)key.count};
    hashmap_add(&profile->map, hash, id);
    return id;
}

static void places_add(struct stack_profile *profile, struct places *places, uint32_t location)
{
    const uint32_t *frames;
    size_t count = places_frames(places, location, &frames);
    profile->places = vec_reserve_bytes(profile->places, &profile->place_capacity, profile->place_count + count, sizeof(*profile->places));
    memcpy(profile->places + profile->place_count, frames, count * sizeof(*frames));
    profile->place_count += count;
}

void stack_profile_build(struct stack_profile *profile, const struct sample_tally *tally, const struct recording *recording,
                         struct places *places)
{
    *profile = (struct stack_profile){0};
    const struct samples *samples = &recording->samples;
    for (size_t at = 0; at < tally->count; at++) {
        const struct tally_item *item = &tally->items[at];
        uint32_t first = (uint32_t)profile->place_count;
        const struct stack *stack = item->stack == STACK_NONE ? NULL : &samples->stacks[item->stack];
        for (uint32_t frame = 0; stack && frame < stack->count; frame++)
            places_add(profile, places, samples->frames[stack->first + frame]);
        if (profile->place_count == first)
            places_add(profile, places, item->location);
        uint32_t met = stack_find(profile, item, first); /* may move the items */
        profile->items[met].samples += item->samples;
        profile->items[met].period += item->period;
    }
}

void stack_profile_done(struct stack_profile *profile)
{
    vec_done(profile);
    free(profile->places);
    hashmap_done(&profile->map);
    *profile = (struct stack_profile){0};
}
