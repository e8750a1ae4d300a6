/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/filling/alike.h"

#include "base/cache_line.h"
#include "base/table_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1 << 16, /* a power of two: 2 MiB, and 4 MiB of rows at the most */
    WAYS = 4,        /* of a line, two cache lines */
};

/* What is counted stands here, not in the row: for most samples nothing but a line is looked at. */
struct alike_slot {
    uint64_t key;
    uint32_t more_key;
    uint32_t row_behind; /* its number and one; 0: an empty slot */
    struct alike_count count;
};
_Static_assert(WAYS * sizeof(struct alike_slot) == 2 * (size_t)CACHE_LINE_BYTES, "what is fetched ahead");

void alike_samples_done(struct alike_samples *samples)
{
    free(samples->slots);
    free(samples->rows);
    *samples = (struct alike_samples){0};
}

/* In each line the newest come first. */
static struct alike_slot *line_of(const struct alike_samples *samples, const struct alike_key *key)
{
    return &samples->slots[(size_t)key->line * WAYS & (SLOTS - 1)];
}

void alike_samples_fetch(struct alike_samples *samples, const struct alike_key *key)
{
    if (!samples->slots) {
        samples->slots = table_memory_alloc(SLOTS, sizeof(*samples->slots));
        samples->rows = table_memory_alloc(SLOTS, sizeof(*samples->rows));
    }
    const struct alike_slot *line = line_of(samples, key);
    __builtin_prefetch(line);
    __builtin_prefetch(line + WAYS / 2);
}

struct alike_count *alike_samples_find(struct alike_samples *samples, const struct alike_key *key)
{
    struct alike_slot *line = line_of(samples, key);
    for (size_t way = 0; way < WAYS; way++)
        if (line[way].key == key->key && line[way].more_key == key->more_key && line[way].row_behind)
            return &line[way].count;
    return NULL;
}

struct sample *alike_samples_add(struct alike_samples *samples, const struct alike_key *key,
                                 struct alike_count *ret_before)
{
    struct alike_slot *line = line_of(samples, key), *oldest = &line[WAYS - 1];
    uint32_t row_behind = oldest->row_behind;
    *ret_before = oldest->count;
    for (size_t way = 0; !row_behind; way++)
        if (!line[way].row_behind)
            row_behind = (uint32_t)(line - samples->slots + (ptrdiff_t)way) + 1;
    memmove(line + 1, line, (WAYS - 1) * sizeof(*line));
    *line = (struct alike_slot){.key = key->key, .more_key = key->more_key, .row_behind = row_behind};
    return &samples->rows[row_behind - 1];
}

struct sample *alike_samples_next(struct alike_samples *samples, size_t *at, struct alike_count *ret_count)
{
    while (samples->slots && *at < SLOTS) {
        const struct alike_slot *slot = &samples->slots[(*at)++];
        *ret_count = slot->count;
        if (slot->count.samples)
            return &samples->rows[slot->row_behind - 1];
    }
    return NULL;
}
