/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/sample_traits.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sample_traits_init(struct sample_traits *traits)
{
    *traits = (struct sample_traits){0};
    strings_init(&traits->texts);
}

void sample_traits_done(struct sample_traits *traits)
{
    free(traits->sets);
    hashmap_done(&traits->set_map);
    strings_done(&traits->texts);
}

uint64_t sample_traits_text(struct sample_traits *traits, struct view text)
{
    return strings_intern_n(&traits->texts, text.text, text.length);
}

static bool set_equal(const void *context, uint32_t id, const void *key)
{
    const struct sample_traits *traits = context;
    return memcmp(&traits->sets[id], key, sizeof(struct trait_set)) == 0;
}

uint32_t sample_traits_intern(struct sample_traits *traits, const struct trait_set *set)
{
    uint64_t hash = hash_bytes(set, sizeof(*set));
    uint32_t id = hashmap_find(&traits->set_map, hash, set_equal, traits, set);
    if (id != HASHMAP_ABSENT)
        return id;
    traits->sets = vec_reserve_bytes(traits->sets, &traits->set_capacity, traits->set_count + 1, sizeof(*traits->sets));
    id = (uint32_t)traits->set_count++;
    traits->sets[id] = *set;
    hashmap_add(&traits->set_map, hash, id);
    return id;
}

static uint32_t set_settle(struct sample_traits *traits, uint32_t id, trait_text_add add, void *context)
{
    struct trait_set set = traits->sets[id];
    scoped_text struct text text = {0};
    for (size_t at = 0; at < traits->count; at++) {
        if (traits->items[at].form != TRAIT_LOCATION)
            continue;
        text_clear(&text);
        add(context, at, (uint32_t)set.values[at], &text);
        set.values[at] = sample_traits_text(traits, text_view(&text));
    }
    return sample_traits_intern(traits, &set);
}

uint32_t *sample_traits_settle(struct sample_traits *traits, trait_text_add add, void *context)
{
    size_t count = traits->set_count;
    uint32_t *settled = memory_alloc(memory_product(count + 1, sizeof(*settled)));
    /* The numbers of the sets so far are of locations: what is found among them from here on must be of texts. */
    hashmap_done(&traits->set_map);
    traits->set_map = (struct hashmap){0};
    for (size_t at = 0; at < count; at++)
        settled[at] = set_settle(traits, (uint32_t)at, add, context);
    for (size_t at = 0; at < traits->count; at++)
        if (traits->items[at].form == TRAIT_LOCATION)
            traits->items[at].form = TRAIT_TEXT;
    return settled;
}

void sample_traits_show(const struct sample_traits *traits, uint32_t set, size_t trait, uint64_t samples,
                        struct text *out)
{
    uint64_t value = traits->sets[set].values[trait];
    switch (traits->items[trait].form) {
    case TRAIT_TEXT:
        text_add(out, strings_text(&traits->texts, (uint32_t)value));
        break;
    case TRAIT_NUMBER:
        text_add_u64(out, value);
        break;
    case TRAIT_SUM:
        text_add_u64(out, value * samples);
        break;
    case TRAIT_TIME:
        if (traits->nanoseconds)
            text_printf(out, "%" PRIu64 ".%09" PRIu64, value / 1000000000, value % 1000000000);
        else
            text_printf(out, "%" PRIu64 ".%06" PRIu64, value / 1000000000, value % 1000000000 / 1000);
        break;
    case TRAIT_LOCATION:
        break; /* has no text yet */
    }
}

int sample_traits_order(const struct sample_traits *traits, uint32_t a, uint32_t b, size_t trait)
{
    uint64_t left = traits->sets[a].values[trait], right = traits->sets[b].values[trait];
    if (traits->items[trait].form != TRAIT_TEXT)
        return left < right ? -1 : left > right;
    return strcmp(strings_text(&traits->texts, (uint32_t)left), strings_text(&traits->texts, (uint32_t)right));
}
