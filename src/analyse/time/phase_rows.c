/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/phase_rows.h"

#include "analyse/sampled.h"
#include "analyse/stall/stalls.h"
#include "analyse/time/phases.h"
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

/* Samples of each key. Owner: the caller (free). */
static struct sampled *keys_begin(const struct recording *recording, const struct code_bundle *bundle,
                                  size_t *ret_count)
{
    *ret_count = bundle->count + recording->spaces.dso_count + 1;
    struct sampled *counts = memory_alloc(memory_product(*ret_count, sizeof(*counts)));
    for (size_t at = 0; at < *ret_count; at++)
        counts[at] = (struct sampled){0, (uint32_t)at};
    return counts;
}

/* The hottest of them, which are sorted. */
static size_t functions_take(struct phase_function *functions, struct sampled *counts, size_t count, uint64_t samples,
                             const struct code_bundle *bundle)
{
    size_t taken = 0;
    sampled_sort(counts, count);
    for (; taken < PHASE_FUNCTIONS_MOST && taken < count && counts[taken].samples; taken++)
        functions[taken] = (struct phase_function){
            .name = counts[taken].index < bundle->count ? bundle->functions[counts[taken].index].name : "[unknown]",
            .share = (double)counts[taken].samples / (double)samples,
        };
    return taken;
}

struct rows_input {
    const struct recording *recording;
    const struct code_bundle *bundle;
    const struct phase_sample *samples;
    struct phases phases;
};

static void row_add(struct phase_rows *rows, const struct rows_input *input, const struct phase_segment *segment)
{
    size_t keys;
    scoped_free struct sampled *counts = keys_begin(input->recording, input->bundle, &keys);
    struct phase_row *row = &rows->items[rows->count++];
    for (size_t at = segment->first; at < segment->first + segment->count; at++)
        counts[input->samples[at].key].samples++;
    *row = (struct phase_row){
        .from_s = (double)(segment->start_ns - input->samples[0].time_ns) * 1e-9,
        .until_s = (double)(segment->end_ns - input->samples[0].time_ns) * 1e-9,
        .start_ns = segment->start_ns,
        .end_ns = segment->end_ns,
        .phase = segment->phase,
        .samples = segment->count,
    };
    row->function_count = functions_take(row->functions, counts, keys, row->samples, input->bundle);
}

static void whole_add(struct phase_rows *rows, const struct rows_input *input, uint32_t phase)
{
    size_t keys;
    scoped_free struct sampled *counts = keys_begin(input->recording, input->bundle, &keys);
    struct phase_whole *whole = &rows->judged[rows->judged_count++];
    *whole = (struct phase_whole){.phase = phase};
    for (size_t at = 0; at < input->phases.segment_count; at++) {
        const struct phase_segment *segment = &input->phases.segments[at];
        if (segment->phase != phase)
            continue;
        whole->stretches++;
        whole->samples += segment->count;
        whole->seconds += (double)(segment->end_ns - segment->start_ns) * 1e-9;
        for (size_t sample = segment->first; sample < segment->first + segment->count; sample++)
            counts[input->samples[sample].key].samples++;
    }
    whole->function_count = functions_take(whole->functions, counts, keys, whole->samples, input->bundle);
}

static void rows_fill(struct phase_rows *rows, const struct rows_input *input)
{
    rows->phase_count = input->phases.phase_count;
    for (size_t at = 0; at < input->phases.segment_count && at < PHASE_ROWS_MOST; at++)
        row_add(rows, input, &input->phases.segments[at]);
    for (uint32_t phase = 0;
         rows->phase_count > 1 && phase < rows->phase_count && rows->judged_count < PHASES_JUDGED_MOST; phase++)
        whole_add(rows, input, phase);
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
    const struct rows_input input = {recording, bundle, timed.items, phases_find(timed.items, timed.count, arena)};
    rows_fill(&rows, &input);
    vec_done(&timed);
    return rows;
}

bool phase_rows_hold(const struct phase_rows *rows, uint32_t phase, uint64_t start_ns, uint64_t end_ns)
{
    for (size_t at = 0; at < rows->count; at++)
        if (rows->items[at].phase == phase && rows->items[at].start_ns <= start_ns && end_ns <= rows->items[at].end_ns)
            return true;
    return false;
}
