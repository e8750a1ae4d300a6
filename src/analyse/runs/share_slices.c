/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/share_slices.h"

#include "base/vec.h"

#include <string.h>

static const uint64_t length_first_ns = 100000;

void share_slices_done(struct share_slices *slices)
{
    vec_done(slices);
    hashmap_done(&slices->map);
}

static void halve(struct share_slices *slices)
{
    vec_for_each (slices, row) {
        for (size_t at = 0; at < SLICES_MOST / 2; at++)
            row->weight[at] = row->weight[2 * at] + row->weight[2 * at + 1];
        memset(row->weight + SLICES_MOST / 2, 0, sizeof(row->weight) / 2);
    }
    slices->length_ns *= 2;
    slices->slice_count = (slices->slice_count + 1) / 2;
}

static size_t slice_at(struct share_slices *slices, uint64_t time_ns)
{
    if (!slices->length_ns) {
        slices->first_ns = time_ns;
        slices->length_ns = length_first_ns;
    }
    uint64_t since = time_ns > slices->first_ns ? time_ns - slices->first_ns : 0;
    while (since / slices->length_ns >= SLICES_MOST)
        halve(slices);
    size_t at = (size_t)(since / slices->length_ns);
    slices->slice_count = at >= slices->slice_count ? at + 1 : slices->slice_count;
    return at;
}

void share_slices_add(struct share_slices *slices, uint32_t key, uint64_t time_ns, double weight)
{
    size_t slice = slice_at(slices, time_ns);
    uint64_t hash = hash_u64((uint64_t)key + 1);
    uint32_t id = hashmap_find(&slices->map, hash, NULL, NULL, NULL);
    if (id == HASHMAP_ABSENT) {
        id = (uint32_t)slices->count;
        *vec_push(slices) = (struct slice_row){.key = key};
        hashmap_add(&slices->map, hash, id);
    }
    slices->items[id].samples++;
    slices->items[id].weight[slice] += weight;
}
