/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/sample_tally.h"

#include "base/vec.h"

static bool same_kind(const struct sample_tally *tally, const struct tally_item *a, const struct tally_item *b)
{
    return a->location == b->location && a->stack == b->stack && a->comm == b->comm && a->event == b->event &&
           a->cpu == b->cpu && (!tally->by_thread || a->thread == b->thread);
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

void sample_tally_add(struct sample_tally *tally, const struct sample *sample)
{
    struct tally_item item = {.event = sample->event,
                              .comm = sample->comm,
                              .thread = sample->thread,
                              .cpu = tally->by_cpu ? sample->cpu : UINT32_MAX,
                              .location = sample->location,
                              .stack = sample->stack};
    uint32_t *list = sample->stack != STACK_NONE
                         ? list_of(&tally->first_by_stack, &tally->stack_count, &tally->stack_capacity, sample->stack)
                         : list_of(&tally->first_by_location, &tally->location_count, &tally->location_capacity,
                                   sample->location + 1 /* LOCATION_NONE wraps to 0 */);
    uint32_t id = *list;
    while (id != TALLY_NONE && !same_kind(tally, &tally->items[id], &item))
        id = tally->items[id].next;
    if (id == TALLY_NONE) {
        id = (uint32_t)tally->count;
        item.next = *list;
        *vec_push(tally) = item;
        *list = id;
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
    free(tally->items);
    free(tally->first_by_stack);
    free(tally->first_by_location);
    *tally = (struct sample_tally){0};
}
