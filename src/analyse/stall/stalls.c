/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/stall/stalls.h"

#include "analyse/stall/stall_work.h"

#include <stdlib.h>
#include <string.h>

bool stalls_counts_sample(const struct recording *recording, const struct sample *sample)
{
    if (sample->event >= recording->event_count)
        return false;
    const struct recorded_event *event = &recording->events[sample->event];
    if (event->counts_again)
        return false;
    bool cycles = event->name && strncmp(event->name, "cycles", strlen("cycles")) == 0;
    if (!event->counts_ns && !cycles)
        return false;
    return sample->thread >= recording->threads.count || recording->threads.items[sample->thread].tid != 0;
}

static void work_done(struct stall_work *work)
{
    disassembler_free(work->disassembler);
    free(work->places);
    free(work->index_of);
    vec_done(&work->functions);
    vec_done(&work->decoded);
    vec_done(&work->sources);
    vec_done(&work->hits);
    vec_done(&work->placed);
    vec_done(&work->line_hits);
    vec_done(&work->address_hits);
    hashmap_done(&work->code_lines);
    hashmap_done(&work->code_addresses);
}

static void samples_keep(struct stall_work *work)
{
    size_t count = work->hits.count;
    struct stalls *stalls = work->stalls;
    stalls->addresses = arena_array(work->arena, struct stall_address, count + 1);
    stalls->address_count = count;
    if (count)
        memcpy(stalls->addresses, work->hits.items, count * sizeof(*stalls->addresses));
    stalls->placed = arena_array(work->arena, struct stall_sample, work->placed.count + 1);
    stalls->placed_count = work->placed.count;
    if (work->placed.count)
        memcpy(stalls->placed, work->placed.items, work->placed.count * sizeof(*stalls->placed));
}

void stalls_find(struct stalls *stalls, const struct recording *recording, const struct code_bundle *bundle,
                 const struct process_pages *pages, size_t pages_count, struct stall_skid skid, struct arena *arena)
{
    *stalls = (struct stalls){
        .attributed = skid.one_behind || skid.exact, .exact = skid.exact, .restarts_behind = skid.restarts_behind};
    for (size_t at = 0; at < recording->event_count && !stalls->event; at++)
        if (!recording->events[at].counts_again && !recorded_event_is_switch(&recording->events[at]))
            stalls->event = recording->events[at].name;
    bool arm = strcmp(bundle->architecture, "aarch64") == 0;
    struct stall_work work = {
        .recording = recording,
        .bundle = bundle,
        .stalls = stalls,
        .arena = arena,
        .stack_register = arm ? 31 : 7, /* PERF_REG_ARM64_SP, PERF_REG_X86_SP */
        .frame_register = arm ? 29 : 6, /* PERF_REG_ARM64_X29, PERF_REG_X86_BP */
    };
    struct error err = {0};
    if (!disassembler_new(&work.disassembler, bundle->architecture, SYNTAX_ATT, &err)) {
        work.disassembler = NULL;
        stalls->why_no_code = arena_string(arena, err.message);
        stalls->attributed = false;
    }
    work.places = memory_alloc((recording->samples.location_count + 1) * sizeof(*work.places));
    memset(work.places, 0, (recording->samples.location_count + 1) * sizeof(*work.places));
    work.index_of = memory_alloc((bundle->count + 1) * sizeof(*work.index_of));
    memset(work.index_of, 0xff, (bundle->count + 1) * sizeof(*work.index_of));
    stall_samples_walk(&work);
    for (size_t at = 0; at < work.functions.count; at++)
        stall_rows_find(&work, (uint32_t)at);
    stall_callers_find(&work);
    stall_groups_find(&work, pages, pages_count);
    samples_keep(&work); /* with their pages, and still in the recording's order */
    stall_lines_count(&work);
    stall_functions_sort(&work);
    work_done(&work);
}
