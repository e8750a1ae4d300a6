/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_samples.h"

#include "base/arena.h"

#include <stdlib.h>

static int location_compare(const void *a, const void *b, void *context)
{
    const struct location *locations = context;
    const struct location *x = &locations[*(const uint32_t *)a], *y = &locations[*(const uint32_t *)b];
    if (x->dso != y->dso)
        return x->dso < y->dso ? -1 : 1;
    if (x->dso_addr != y->dso_addr)
        return x->dso_addr < y->dso_addr ? -1 : 1;
    return 0;
}

void code_samples_init(struct code_samples *index, const struct recording *recording)
{
    const struct samples *samples = &recording->samples;
    size_t count = samples->location_count;
    *index = (struct code_samples){.location_count = count};
    index->locations = memory_alloc(memory_product(count + 1, sizeof(uint32_t)));
    index->first = memory_alloc(memory_product(count + 1, sizeof(uint32_t)));
    index->samples = memory_alloc(memory_product(samples->count + 1, sizeof(uint32_t)));
    for (size_t at = 0; at < count; at++)
        index->locations[at] = (uint32_t)at;
    if (count)
        qsort_r(index->locations, count, sizeof(uint32_t), location_compare, samples->locations);
    for (size_t at = 0; at < samples->count; at++)
        if (samples->items[at].location < count)
            index->first[samples->items[at].location + 1]++;
    for (size_t at = 0; at < count; at++)
        index->first[at + 1] += index->first[at];
    uint32_t *fill = memory_alloc(memory_product(count + 1, sizeof(uint32_t)));
    for (size_t at = 0; at < count; at++)
        fill[at] = index->first[at];
    for (size_t at = 0; at < samples->count; at++)
        if (samples->items[at].location < count)
            index->samples[fill[samples->items[at].location]++] = (uint32_t)at;
    free(fill);
}

void code_samples_done(struct code_samples *index)
{
    free(index->locations);
    free(index->first);
    free(index->samples);
    *index = (struct code_samples){0};
}

/* Position of the first location at or behind (dso, addr). */
static size_t lower_bound(const struct code_samples *index, const struct location *locations, uint32_t dso,
                          uint64_t addr)
{
    size_t low = 0, high = index->location_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct location *one = &locations[index->locations[middle]];
        if (one->dso < dso || (one->dso == dso && one->dso_addr < addr))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void code_samples_range(const struct code_samples *index, const struct recording *recording, uint32_t dso,
                        uint64_t start, uint64_t end, size_t *ret_first, size_t *ret_end)
{
    *ret_first = lower_bound(index, recording->samples.locations, dso, start);
    *ret_end = lower_bound(index, recording->samples.locations, dso, end);
}
