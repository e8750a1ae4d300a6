/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/phase_rows.h"

#include "analyse/time/phases.h"
#include "analyse/code/stalls.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Key of a location: its function in the bundle, or behind those, its binary. */
static uint32_t key_of(const struct recording *recording, const struct code_bundle *bundle, uint32_t location)
{
    const struct bundle_function *function = code_bundle_find(bundle, recording, location);
    if (function)
        return (uint32_t)(function - bundle->functions);
    return (uint32_t)bundle->count + recording->samples.locations[location].dso;
}

struct key_count {
    uint32_t key;
    uint64_t samples;
};

static int key_compare(const void *a, const void *b)
{
    const struct key_count *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return (left->key > right->key) - (left->key < right->key);
}

static void row_functions(struct phase_row *row, const struct phase_sample *samples,
                          const struct recording *recording, const struct code_bundle *bundle)
{
    size_t keys = bundle->count + recording->spaces.dso_count + 1;
    scoped_free struct key_count *counts = memory_alloc(keys * sizeof(*counts));
    for (size_t at = 0; at < keys; at++)
        counts[at] = (struct key_count){(uint32_t)at, 0};
    for (size_t at = 0; at < row->samples; at++)
        counts[samples[at].key].samples++;
    qsort(counts, keys, sizeof(*counts), key_compare);
    for (size_t at = 0; at < PHASE_FUNCTIONS_MOST && at < keys && counts[at].samples; at++) {
        bool named = counts[at].key < bundle->count;
        row->functions[row->function_count++] = (struct phase_function){
            .name = named ? bundle->functions[counts[at].key].name : "[unknown]",
            .share = (double)counts[at].samples / (double)row->samples,
        };
    }
}

struct phase_rows phase_rows_of(const struct recording *recording, const struct code_bundle *bundle,
                                struct arena *arena)
{
    struct phase_rows rows = {0};
    const struct samples *samples = &recording->samples;
    uint32_t *keys = arena_array(arena, uint32_t, samples->location_count + 1);
    memset(keys, 0xff, (samples->location_count + 1) * sizeof(*keys));
    vec(struct phase_sample) timed = {0};
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!stalls_counts_sample(recording, sample) || sample->location >= samples->location_count)
            continue;
        if (keys[sample->location] == UINT32_MAX)
            keys[sample->location] = key_of(recording, bundle, sample->location);
        *vec_push(&timed) = (struct phase_sample){sample->time_ns, keys[sample->location], 1};
    }
    if (timed.count) {
        struct phases phases = phases_find(timed.items, timed.count, arena);
        rows.phase_count = phases.phase_count;
        rows.segment_count = phases.segment_count;
        for (size_t at = 0; at < phases.segment_count && at < PHASE_ROWS_MOST; at++) {
            const struct phase_segment *segment = &phases.segments[at];
            struct phase_row *row = &rows.items[rows.count++];
            *row = (struct phase_row){
                .from_s = (double)(segment->start_ns - timed.items[0].time_ns) * 1e-9,
                .until_s = (double)(segment->end_ns - timed.items[0].time_ns) * 1e-9,
                .start_ns = segment->start_ns,
                .end_ns = segment->end_ns,
                .phase = segment->phase,
                .samples = segment->count,
            };
            row_functions(row, timed.items + segment->first, recording, bundle);
        }
    }
    vec_done(&timed);
    return rows;
}
