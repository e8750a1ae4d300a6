/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/phase_bottleneck.h"

static const double SAMPLES_LEAST = 0.03; /* of all: as short as a phase can be */

static const struct phase_row *longest_stretch(const struct phase_rows *rows, uint32_t phase)
{
    const struct phase_row *best = NULL;
    for (size_t at = 0; at < rows->count; at++)
        if (rows->items[at].phase == phase && (!best || rows->items[at].samples > best->samples))
            best = &rows->items[at];
    return best;
}

/* The recording with the samples of that time alone. */
static struct recording *stretch_of(const struct recording *all, const struct phase_row *row, struct arena *arena)
{
    struct recording *part = arena_array(arena, struct recording, 1);
    *part = *all;
    part->samples.items = arena_array(arena, struct sample, all->samples.count + 1);
    part->samples.count = part->samples.capacity = 0;
    for (size_t at = 0; at < all->samples.count; at++) {
        const struct sample *sample = &all->samples.items[at];
        if (sample->time_ns >= row->start_ns && sample->time_ns <= row->end_ns)
            part->samples.items[part->samples.count++] = *sample;
    }
    return part;
}

static void verdict_find(struct phase_bottleneck *one, const struct phase_bottleneck_request *request, const struct phase_row *row, struct arena *arena)
{
    struct bottleneck_request asked = *request->program;
    struct stalls *stalls = arena_array(arena, struct stalls, 1);
    asked.recording = stretch_of(request->program->recording, row, arena);
    asked.trace = NULL;
    stalls_find(stalls, asked.recording, request->bundle, request->pages, request->pages_count, request->skid, arena);
    stalls->why_no_skid = request->program->stalls->why_no_skid;
    asked.stalls = stalls;
    struct bottleneck found;
    bottleneck_find(&found, &asked, arena);
    *one = (struct phase_bottleneck){row->phase, row->from_s, row->until_s, stalls->sample_count, found.program};
}

void phase_bottlenecks_find(struct phase_bottlenecks *ret_bottlenecks, const struct phase_bottleneck_request *request, struct arena *arena)
{
    *ret_bottlenecks = (struct phase_bottlenecks){0};
    if (request->phases->phase_count < 2)
        return;
    for (uint32_t phase = 0; phase < request->phases->phase_count && ret_bottlenecks->count < PHASES_JUDGED_MOST; phase++) {
        const struct phase_row *row = longest_stretch(request->phases, phase);
        if (row && (double)row->samples >= SAMPLES_LEAST * (double)request->program->stalls->sample_count)
            verdict_find(&ret_bottlenecks->items[ret_bottlenecks->count++], request, row, arena);
    }
}
