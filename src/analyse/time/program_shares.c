/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/program_shares.h"

#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>

struct counting {
    vec(struct program_share) rows;
    vec(double) weights;   /* of each row */
    struct hashmap by_name; /* string id -> row */
    struct hashmap met;     /* string id and process */
    double all;
    uint64_t samples;
};

static void counting_done(struct counting *counting)
{
    vec_done(&counting->rows);
    vec_done(&counting->weights);
    hashmap_done(&counting->by_name);
    hashmap_done(&counting->met);
}

static uint32_t row_of(struct counting *counting, const struct recording *recording, uint32_t name)
{
    uint32_t row = hashmap_find(&counting->by_name, hash_u64(name), NULL, NULL, NULL);
    if (row != HASHMAP_ABSENT)
        return row;
    row = (uint32_t)counting->rows.count;
    *vec_push(&counting->rows) = (struct program_share){.name = strings_text(&recording->strings, name)};
    *vec_push(&counting->weights) = 0;
    hashmap_add(&counting->by_name, hash_u64(name), row);
    return row;
}

static void sample_count(struct counting *counting, const struct recording *recording, const struct sample *sample)
{
    const struct thread *thread = &recording->threads.items[sample->thread];
    if (thread->tid == 0)
        return;
    uint32_t row = row_of(counting, recording, sample->comm);
    uint64_t process = hash_u64((uint64_t)sample->comm << 32 | thread->pid);
    if (hashmap_find(&counting->met, process, NULL, NULL, NULL) == HASHMAP_ABSENT) {
        hashmap_add(&counting->met, process, row);
        if (!counting->rows.items[row].processes++)
            counting->rows.items[row].pid = thread->pid;
    }
    counting->weights.items[row] += (double)sample->period;
    counting->all += (double)sample->period;
    counting->samples++;
}

static int largest_first(const void *a, const void *b)
{
    const struct program_share *left = a, *right = b;
    if (left->share < right->share || left->share > right->share)
        return left->share < right->share ? 1 : -1;
    return strcmp(left->name, right->name);
}

struct program_shares program_shares_of(const struct recording *recording, struct arena *arena)
{
    scoped(counting_done) struct counting counting = {0};
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        bool counts = sample->event < recording->event_count && sample->thread < recording->threads.count &&
                      !recording->events[sample->event].counts_again &&
                      !recorded_event_is_switch(&recording->events[sample->event]);
        if (counts)
            sample_count(&counting, recording, sample);
    }
    struct program_shares shares = {.count = counting.rows.count, .samples = counting.samples};
    if (!shares.count || counting.all <= 0)
        return (struct program_shares){0};
    shares.items = arena_array(arena, struct program_share, shares.count);
    for (size_t at = 0; at < shares.count; at++) {
        shares.items[at] = counting.rows.items[at];
        shares.items[at].share = counting.weights.items[at] / counting.all;
    }
    qsort(shares.items, shares.count, sizeof(*shares.items), largest_first);
    return shares;
}
