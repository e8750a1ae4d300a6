/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/phase_bottleneck.h"

static const double SAMPLES_LEAST = 0.03; /* of all: as short as a phase can be */

/* Which of the phase's stretches holds that moment; false: none. */
static bool stretch_find(const struct phase_rows *rows, uint32_t phase, uint64_t time_ns, uint32_t *ret_stretch)
{
    for (*ret_stretch = 0; *ret_stretch < rows->count; (*ret_stretch)++) {
        const struct phase_row *row = &rows->items[*ret_stretch];
        if (row->phase == phase && row->start_ns <= time_ns && time_ns <= row->end_ns)
            return true;
    }
    return false;
}

/* The recording with the phase's samples alone, and of each the stretch that it is of. */
static void part_take(struct bottleneck_request *part, const struct phase_rows *rows, uint32_t phase,
                      struct arena *arena)
{
    const struct recording *all = part->recording;
    struct recording *own = arena_array(arena, struct recording, 1);
    uint32_t *stretches = arena_array(arena, uint32_t, all->samples.count + 1), stretch;
    *own = *all;
    own->samples.items = arena_array(arena, struct sample, all->samples.count + 1);
    own->samples.count = own->samples.capacity = 0;
    for (size_t at = 0; at < all->samples.count; at++) {
        if (!stretch_find(rows, phase, all->samples.items[at].time_ns, &stretch))
            continue;
        stretches[own->samples.count] = stretch;
        own->samples.items[own->samples.count++] = all->samples.items[at];
    }
    part->recording = own;
    part->stretches = stretches;
}

static void verdict_find(struct phase_bottleneck *one, const struct phase_bottleneck_request *request,
                         const struct phase_whole *phase, struct arena *arena)
{
    struct bottleneck_request asked = *request->program;
    struct stalls *stalls = arena_array(arena, struct stalls, 1);
    part_take(&asked, request->phases, phase->phase, arena);
    asked.trace = NULL;
    stalls_find(stalls, asked.recording, request->bundle, request->pages, request->pages_count, request->skid, arena);
    stalls->why_no_skid = request->program->stalls->why_no_skid;
    asked.stalls = stalls;
    struct bottleneck found;
    bottleneck_find(&found, &asked, arena);
    *one = (struct phase_bottleneck){phase, found.program};
}

static bool is_counted(const struct phase_trees *trees, uint32_t phase)
{
    for (size_t at = 0; at < trees->count; at++)
        if (trees->items[at].phase->phase == phase && !trees->items[at].why_not)
            return true;
    return false;
}

void phase_bottlenecks_find(struct phase_bottlenecks *ret_bottlenecks, const struct phase_bottleneck_request *request,
                            struct arena *arena)
{
    const double least = SAMPLES_LEAST * (double)request->program->stalls->sample_count;
    *ret_bottlenecks = (struct phase_bottlenecks){0};
    for (size_t at = 0; at < request->phases->judged_count; at++) {
        const struct phase_whole *phase = &request->phases->judged[at];
        if ((double)phase->samples >= least && !is_counted(request->trees, phase->phase))
            verdict_find(&ret_bottlenecks->items[ret_bottlenecks->count++], request, phase, arena);
    }
}
