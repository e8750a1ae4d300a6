/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/sample_tally.h"

#include "base/arena.h"
#include "base/table_memory.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Nameless ones are told apart by their numbers. */
static bool thread_matters(const struct sample_tally *tally, const struct tally_item *item)
{
    return tally->by_thread || !item->comm;
}

static bool same_kind(const struct sample_tally *tally, const struct tally_item *a, const struct tally_item *b)
{
    return a->location == b->location && a->stack == b->stack && a->comm == b->comm && a->event == b->event &&
           a->branch == b->branch && a->cpu == b->cpu && a->traits == b->traits &&
           (!thread_matters(tally, a) || a->thread == b->thread);
}

/* Small: the table is what each sample looks into anew. */
struct tally_slot {
    uint32_t hash;
    uint32_t item_behind; /* its number and one; 0: an empty slot */
};

static uint64_t item_hash(const struct sample_tally *tally, const struct tally_item *item)
{
    uint64_t hash = hash_u64((uint64_t)item->stack << 32 | item->location);
    hash ^= ((uint64_t)item->comm << 16 ^ item->event) * 0x9e3779b97f4a7c15u;
    hash ^= ((uint64_t)item->branch << 32 ^ item->cpu) * 0xc2b2ae3d27d4eb4fu;
    hash += (uint64_t)(item->traits + 1) << 32; /* 0 without them */
    return hash_u64(hash + (thread_matters(tally, item) ? item->thread : 0));
}

static struct tally_slot *empty_slot(struct tally_slot *slots, size_t capacity, uint32_t hash)
{
    size_t at = hash & (capacity - 1);
    while (slots[at].item_behind)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static void slots_grow(struct sample_tally *tally)
{
    size_t capacity = tally->slot_capacity ? 2 * tally->slot_capacity : 1024;
    struct tally_slot *slots = table_memory_alloc(capacity, sizeof(*slots));
    for (size_t at = 0; at < tally->slot_capacity; at++)
        if (tally->slots[at].item_behind)
            *empty_slot(slots, capacity, tally->slots[at].hash) = tally->slots[at];
    free(tally->slots);
    tally->slots = slots;
    tally->slot_capacity = capacity;
}

/* A sample on its way to its item: looked for one after the other, each would wait for memory twice. */
struct tally_waiting {
    struct tally_item item;
    uint32_t hash;
};

enum {
    WAITING_MOST = 16, /* a power of two */
    SLOT_COMES = 8,    /* that many samples later its slot has come, and names its item */
};

/* The first slot that is empty or of that hash, from `at` on. */
static size_t slot_of_hash(const struct sample_tally *tally, size_t at, uint32_t hash)
{
    for (at &= tally->slot_capacity - 1; tally->slots[at].item_behind && tally->slots[at].hash != hash;)
        at = (at + 1) & (tally->slot_capacity - 1);
    return at;
}

static void item_fetch(const struct sample_tally *tally, const struct tally_waiting *waiting)
{
    const struct tally_slot *slot = &tally->slots[slot_of_hash(tally, waiting->hash, waiting->hash)];
    if (!slot->item_behind)
        return;
    const struct tally_item *item = &tally->items[slot->item_behind - 1];
    __builtin_prefetch(item);
    __builtin_prefetch(&item->period); /* may stand on the next line */
}

static void item_count(struct sample_tally *tally, const struct tally_waiting *waiting)
{
    size_t at = slot_of_hash(tally, waiting->hash, waiting->hash);
    while (tally->slots[at].item_behind &&
           !same_kind(tally, &tally->items[tally->slots[at].item_behind - 1], &waiting->item))
        at = slot_of_hash(tally, at + 1, waiting->hash);
    struct tally_slot *slot = &tally->slots[at];
    if (!slot->item_behind) {
        *vec_push(tally) = waiting->item;
        *slot = (struct tally_slot){waiting->hash, (uint32_t)tally->count};
        return;
    }
    struct tally_item *met = &tally->items[slot->item_behind - 1];
    met->samples += waiting->item.samples;
    met->period += waiting->item.period;
}

static struct tally_waiting *waiting_at(struct sample_tally *tally, uint32_t number)
{
    return &tally->waiting[number & (WAITING_MOST - 1)];
}

static void item_wait(struct sample_tally *tally, const struct tally_item *item)
{
    if (!tally->waiting)
        tally->waiting = memory_alloc(WAITING_MOST * sizeof(*tally->waiting));
    if (3 * tally->slot_capacity < 4 * (tally->count + WAITING_MOST + 1))
        slots_grow(tally);
    if (tally->added - tally->settled == WAITING_MOST)
        item_count(tally, waiting_at(tally, tally->settled++));
    uint32_t hash = (uint32_t)item_hash(tally, item);
    *waiting_at(tally, tally->added++) = (struct tally_waiting){*item, hash};
    __builtin_prefetch(&tally->slots[hash & (tally->slot_capacity - 1)]);
    if (tally->added - tally->settled > SLOT_COMES)
        item_fetch(tally, waiting_at(tally, tally->added - SLOT_COMES));
}

void sample_tally_settle(struct sample_tally *tally)
{
    while (tally->settled != tally->added)
        item_count(tally, waiting_at(tally, tally->settled++));
}

struct tally_item sample_tally_item(const struct sample_tally *tally, const struct sample *sample, uint32_t traits)
{
    return (struct tally_item){.event = sample->event,
                               .comm = sample->comm,
                               .thread = sample->thread,
                               .cpu = tally->by_cpu ? sample->cpu : UINT32_MAX,
                               .location = sample->location,
                               .stack = sample->stack,
                               .branch = TALLY_NONE,
                               .traits = traits,
                               .samples = (uint64_t)sample->alike + 1,
                               .period = sample->period};
}

void sample_tally_add_items(struct sample_tally *tally, const struct tally_item *items, size_t count)
{
    for (size_t at = 0; at < count; at++)
        item_wait(tally, &items[at]);
}

void sample_tally_add_with(struct sample_tally *tally, const struct sample *sample, uint32_t traits)
{
    struct tally_item item = sample_tally_item(tally, sample, traits);
    item_wait(tally, &item);
}

void sample_tally_add(struct sample_tally *tally, const struct sample *sample)
{
    sample_tally_add_with(tally, sample, TRAITS_NONE);
}

static bool branch_equal(const void *context, uint32_t id, const void *key)
{
    const struct sample_tally *tally = context;
    return memcmp(&tally->branches[id], key, sizeof(struct tally_branch)) == 0;
}

static uint32_t branch_intern(struct sample_tally *tally, const struct tally_branch *branch)
{
    uint64_t hash = hash_combine(hash_u64((uint64_t)branch->from << 32 | branch->to),
                                 (uint64_t)branch->cycles << 16 | branch->marks << 8 | branch->outcome);
    uint32_t id = hashmap_find(&tally->branch_map, hash, branch_equal, tally, branch);
    if (id != HASHMAP_ABSENT)
        return id;
    tally->branches = vec_reserve_bytes(tally->branches, &tally->branch_capacity, tally->branch_count + 1,
                                        sizeof(*tally->branches));
    id = (uint32_t)tally->branch_count++;
    tally->branches[id] = *branch;
    hashmap_add(&tally->branch_map, hash, id);
    return id;
}

void sample_tally_add_branch(struct sample_tally *tally, const struct sample *sample,
                             const struct tally_branch *branch)
{
    struct tally_item item = {.event = sample->event,
                              .comm = sample->comm,
                              .thread = sample->thread,
                              .cpu = tally->by_cpu ? sample->cpu : UINT32_MAX,
                              .location = branch->to,
                              .stack = STACK_NONE,
                              .branch = branch_intern(tally, branch),
                              .traits = TRAITS_NONE,
                              .samples = 1,
                              .period = 1};
    item_wait(tally, &item);
}

void sample_tally_done(struct sample_tally *tally)
{
    free(tally->items);
    free(tally->slots);
    free(tally->waiting);
    free(tally->branches);
    hashmap_done(&tally->branch_map);
    *tally = (struct sample_tally){0};
}
