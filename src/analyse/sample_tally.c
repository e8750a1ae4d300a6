/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/sample_tally.h"

#include "base/vec.h"

static bool same_kind(const struct sample_tally *tally, const struct tally_item *a, const struct tally_item *b)
{
    return a->location == b->location && a->stack == b->stack && a->comm == b->comm && a->event == b->event &&
           a->cpu == b->cpu && (!tally->by_thread || a->thread == b->thread);
}

static bool item_equal(const void *context, uint32_t id, const void *key)
{
    const struct sample_tally *tally = context;
    return same_kind(tally, &tally->items[id], key);
}

static uint64_t item_hash(const struct sample_tally *tally, const struct tally_item *item)
{
    uint64_t hash = hash_u64((uint64_t)item->location << 32 | item->stack);
    hash = hash_combine(hash, (uint64_t)item->comm << 32 | item->event);
    return hash_combine(hash, (uint64_t)item->cpu << 32 | (tally->by_thread ? item->thread : 0));
}

void sample_tally_add(struct sample_tally *tally, const struct sample *sample)
{
    struct tally_item item = {.event = sample->event,
                              .comm = sample->comm,
                              .thread = sample->thread,
                              .cpu = tally->by_cpu ? sample->cpu : UINT32_MAX,
                              .location = sample->location,
                              .stack = sample->stack};
    uint32_t id = tally->last;
    if (id >= tally->count || !same_kind(tally, &tally->items[id], &item)) {
        uint64_t hash = item_hash(tally, &item);
        id = hashmap_find(&tally->map, hash, item_equal, tally, &item);
        if (id == HASHMAP_ABSENT) {
            id = (uint32_t)tally->count;
            *vec_push(tally) = item;
            hashmap_add(&tally->map, hash, id);
        }
        tally->last = id;
    }
    tally->items[id].samples++;
    tally->items[id].period += sample->period;
}

void sample_tally_add_all(struct sample_tally *tally, const struct recording *recording)
{
    for (size_t at = 0; at < recording->samples.count; at++)
        sample_tally_add(tally, &recording->samples.items[at]);
}

void sample_tally_done(struct sample_tally *tally)
{
    vec_done(tally);
    hashmap_done(&tally->map);
}
