/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples count as once their place is known. */
#include "test.h"

#include "analyse/code/stall_work.h"
#include "model/recording.h"

#include <stdlib.h>

enum { SAMPLES = 10 };

/* Samples at the first instruction of a function that is a loop's head, too: `stalled` may be known there. */
static uint64_t entry_hits(uint32_t stalled, uint64_t *ret_sampled)
{
    struct recording recording;
    struct stalls stalls = {.attributed = true};
    struct recorded_event event = {.name = "cpu-clock", .counts_ns = true};
    struct location location = {.runtime_addr = 0x400000, .cpu_mode = CPU_MODE_USER};
    struct sample samples[SAMPLES];
    struct stall_place place = {.known = true, .function = 0, .sampled = 0, .stalled = stalled};
    struct instruction rows[2] = {{.class = INSTRUCTION_INT, .length = 1}, {.class = INSTRUCTION_BRANCH, .length = 1}};
    uint64_t hits[2] = {0}, sampled[2] = {0};
    uint8_t marks[2] = {0};
    struct stall_function function = {.name = "turns"};
    struct stall_code code = {.items = rows, .hits = hits, .sampled = sampled, .marks = marks, .count = 2, .tried = true};
    const struct bundle_function *source = NULL;
    struct stall_work work = {.recording = &recording, .stalls = &stalls, .places = &place};
    recording_init(&recording);
    for (size_t at = 0; at < SAMPLES; at++)
        samples[at] = (struct sample){.stack = STACK_NONE, .registers = REGISTERS_NONE, .thread = UINT32_MAX};
    recording.events = &event;
    recording.event_count = 1;
    recording.samples.items = samples;
    recording.samples.locations = &location;
    recording.samples.count = SAMPLES;
    recording.samples.location_count = 1;
    work.functions.items = &function;
    work.decoded.items = &code;
    work.sources.items = &source;
    work.functions.count = work.decoded.count = work.sources.count = 1;
    stall_samples_walk(&work);
    recording.samples.items = NULL;
    recording.samples.locations = NULL;
    recording.events = NULL;
    recording_done(&recording);
    hashmap_done(&work.code_lines);
    hashmap_done(&work.code_addresses);
    free(work.line_hits.items);
    free(work.address_hits.items);
    vec_done(&work.placed);
    *ret_sampled = sampled[0];
    cr_assert_eq(stalls.sample_count, SAMPLES);
    return code.entry_hits;
}

Test(stall_samples, a_sample_counts_at_a_row_or_at_the_entry_and_never_at_both)
{
    uint64_t sampled;
    cr_assert_eq(entry_hits(NO_INDEX, &sampled), SAMPLES);
    cr_assert_eq(sampled, 0, "what called isn't known");
    cr_assert_eq(entry_hits(1, &sampled), 0, "the branch back stalled");
    cr_assert_eq(sampled, SAMPLES);
}
