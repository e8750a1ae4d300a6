/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/sample_tally.h"

#include "base/vec.h"

static bool same_kind(const struct sample_tally *tally, const struct tally_item *a, const struct tally_item *b)
{
    return a->location == b->location && a->stack == b->stack && a->comm == b->comm && a->event == b->event &&
           a->branch == b->branch && a->cpu == b->cpu && (!tally->by_thread || a->thread == b->thread);
}

/* Where the list of items with that stack or location begins; LOCATION_NONE is the list at 0. */
static uint32_t *list_of(uint32_t **lists, size_t *count, size_t *capacity, uint32_t id)
{
    if (id >= *count) {
        *lists = vec_reserve_bytes(*lists, capacity, (size_t)id + 1, sizeof(**lists));
        memset(*lists + *count, 0xff, (*capacity - *count) * sizeof(**lists)); /* TALLY_NONE */
        *count = *capacity;
    }
    return &(*lists)[id];
}

static void item_count(struct sample_tally *tally, uint32_t *list, struct tally_item *item, uint64_t period)
{
    uint32_t id = *list;
    while (id != TALLY_NONE && !same_kind(tally, &tally->items[id], item))
        id = tally->items[id].next;
    if (id == TALLY_NONE) {
        id = (uint32_t)tally->count;
        item->next = *list;
        *vec_push(tally) = *item;
        *list = id;
    }
    tally->items[id].samples++;
    tally->items[id].period += period;
}

void sample_tally_add(struct sample_tally *tally, const struct sample *sample)
{
    struct tally_item item = {.event = sample->event,
                              .comm = sample->comm,
                              .thread = sample->thread,
                              .cpu = tally->by_cpu ? sample->cpu : UINT32_MAX,
                              .location = sample->location,
                              .stack = sample->stack,
                              .branch = TALLY_NONE};
    uint32_t *list = sample->stack != STACK_NONE
                         ? list_of(&tally->first_by_stack, &tally->stack_count, &tally->stack_capacity, sample->stack)
                         : list_of(&tally->first_by_location, &tally->location_count, &tally->location_capacity,
                                   sample->location + 1 /* LOCATION_NONE wraps to 0 */);
    item_count(tally, list, &item, sample->period);
}

static bool branch_equal(const void *context, uint32_t id, const void *key)
{
    const struct sample_tally *tally = context;
    return memcmp(&tally->branches[id], key, sizeof(struct tally_branch)) == 0;
}

static uint32_t branch_intern(struct sample_tally *tally, const struct tally_branch *branch)
{
    uint64_t hash = hash_combine(hash_u64((uint64_t)branch->from << 32 | branch->to),
                                 (uint64_t)branch->cycles << 16 | branch->outcome);
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
                              .branch = branch_intern(tally, branch)};
    uint32_t *list = list_of(&tally->first_by_branch, &tally->branch_list_count, &tally->branch_list_capacity,
                             item.branch);
    item_count(tally, list, &item, 1);
}

void sample_tally_add_all(struct sample_tally *tally, const struct recording *recording)
{
    for (size_t at = 0; at < recording->samples.count; at++)
        sample_tally_add(tally, &recording->samples.items[at]);
}

void sample_tally_done(struct sample_tally *tally)
{
    free(tally->items);
    free(tally->first_by_stack);
    free(tally->first_by_location);
    free(tally->branches);
    free(tally->first_by_branch);
    hashmap_done(&tally->branch_map);
    *tally = (struct sample_tally){0};
}
