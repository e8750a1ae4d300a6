/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples count as once their place is known. */
#include "test.h"

#include "analyse/stall/stall_work.h"
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
    struct stall_place place = {.known = true, .settled = true, .function = 0, .sampled = 0, .stalled = stalled};
    struct instruction rows[2] = {{.class = INSTRUCTION_INT, .length = 1}, {.class = INSTRUCTION_BRANCH, .length = 1}};
    uint64_t hits[2] = {0}, sampled[2] = {0};
    uint16_t marks[2] = {0};
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

/* A load whose address is gone with what it loads. Returns how many addresses are known. */
static size_t addresses_known(bool exact)
{
    struct recording recording;
    struct stalls stalls = {.attributed = true, .exact = exact};
    struct recorded_event event = {.name = "cycles:pp"};
    struct location location = {.runtime_addr = 0x400000, .cpu_mode = CPU_MODE_USER};
    struct registers registers = {.first = 0, .mask = 1};
    uint64_t value = 0x10000;
    struct sample sample = {.ip = 0x400000, .stack = STACK_NONE, .thread = UINT32_MAX};
    struct instruction rows[2] = {{.class = INSTRUCTION_LOAD_OP, .length = 4, .is_load = true, .writes = 1,
                                   .memory = {.base = 0, .index = REGISTER_NONE, .segment = REGISTER_NONE, .scale = 1, .size_bytes = 4, .is_present = true}},
                                  {.class = INSTRUCTION_BRANCH, .length = 1}};
    struct stall_place place = {.known = true, .settled = true, .sampled = 0, .stalled = exact ? 0 : 1};
    uint64_t hits[2] = {0}, sampled[2] = {0};
    uint32_t lost[2] = {0}, ahead[2] = {0};
    uint16_t marks[2] = {0};
    struct loop_rows loops[2] = {{.first = NO_INDEX}, {.first = NO_INDEX}};
    struct stall_function function = {.name = "loads"};
    struct stall_code code = {.items = rows, .loops = loops, .hits = hits, .sampled = sampled, .marks = marks, .lost = lost, .ahead = ahead, .count = 2, .tried = true};
    const struct bundle_function *source = NULL;
    struct stall_work work = {.recording = &recording, .stalls = &stalls, .places = &place, .stack_register = 7, .frame_register = 6};
    recording_init(&recording);
    recording.events = &event;
    recording.event_count = 1;
    recording.samples.items = &sample;
    recording.samples.locations = &location;
    recording.samples.registers = &registers;
    recording.samples.register_values = &value;
    recording.samples.count = recording.samples.location_count = recording.samples.registers_count = recording.samples.register_value_count = 1;
    work.functions.items = &function;
    work.decoded.items = &code;
    work.sources.items = &source;
    work.functions.count = work.decoded.count = work.sources.count = 1;
    stall_samples_walk(&work);
    recording.samples = (struct samples){0};
    recording.events = NULL;
    recording_done(&recording);
    hashmap_done(&work.code_lines);
    hashmap_done(&work.code_addresses);
    free(work.line_hits.items);
    free(work.address_hits.items);
    size_t known = work.hits.count;
    vec_done(&work.hits);
    vec_done(&work.placed);
    return known;
}

Test(stall_samples, exact_samples_have_the_registers_behind_the_load)
{
    cr_expect_eq(addresses_known(false), 1, "interrupted before it: it is about to go there");
    cr_expect_eq(addresses_known(true), 0, "interrupted behind it: what it loaded isn't where it was");
}

/* ---- lines that several threads were met at ---- */

enum { TURNS = 200, THREADS = 2 };

struct met { /* how two threads come to one line */
    bool same_word, in_turns, behind_branch, is_polled;
};

static struct stalls lines_met(struct met met)
{
    struct stalls stalls = {0};
    struct stall_work work = {.stalls = &stalls};
    struct instruction rows[2] = {{.class = met.behind_branch ? INSTRUCTION_BRANCH : INSTRUCTION_INT}, {.class = INSTRUCTION_UPDATE, .is_store = true}};
    uint16_t marks[2] = {0, met.is_polled ? MARK_POLLS : 0};
    struct stall_code code = {.items = rows, .marks = marks, .count = 2};
    struct stall_address hits[TURNS];
    for (uint32_t at = 0; at < TURNS; at++) {
        uint32_t thread = met.in_turns ? at % THREADS : at * THREADS / TURNS;
        hits[at] = (struct stall_address){.time_ns = at, .addr = 0x1000 + (met.same_word ? 0 : 8 * thread), .instruction = 1, .thread = thread};
    }
    work.decoded.items = &code;
    work.decoded.count = 1;
    work.hits.items = hits;
    work.hits.count = TURNS;
    stall_lines_count(&work);
    return stalls;
}

Test(stall_lines, threads_that_take_turns_at_a_line_contend_for_it)
{
    struct stalls words = lines_met((struct met){.in_turns = true});
    cr_assert_eq(words.contended_samples, TURNS);
    cr_assert_eq(words.apart_samples, TURNS, "different words: false sharing");
    struct stalls word = lines_met((struct met){.in_turns = true, .same_word = true});
    cr_assert_eq(word.contended_samples, TURNS);
    cr_assert_eq(word.apart_samples, 0, "one word: true sharing");
}

Test(stall_lines, handing_memory_over_or_a_wrong_guess_may_be_no_contention)
{
    struct stalls handed = lines_met((struct met){0});
    cr_assert_eq(handed.shared_line_samples, TURNS);
    cr_assert_eq(handed.contended_samples, 0, "one thread, then the other");
    struct stalls guessed = lines_met((struct met){.in_turns = true, .behind_branch = true});
    cr_assert_eq(guessed.shared_line_samples, TURNS);
    cr_assert_eq(guessed.contended_samples, 0, "behind the end of a short loop");
}

/* Who waits for a flag waits for what the other does before it sets it, not for the line. */
Test(stall_lines, who_polls_a_line_does_not_fight_for_it)
{
    struct stalls polled = lines_met((struct met){.in_turns = true, .is_polled = true});
    cr_assert_eq(polled.shared_line_addresses, TURNS);
    cr_assert_eq(polled.shared_line_samples + polled.turns_samples + polled.contended_samples, 0);
}

/* ---- what ran before ---- */

/*
 * A loop as compilers lay it out: a slow instruction falls into the head, and the rare case's call, out of the way behind the
 * loop, jumps there as well. `rare`: samples that fell in the rare case.
 */
static uint32_t stalled_before_head(uint32_t usual, uint32_t rare)
{
    struct instruction rows[6] = {
        {.addr = 0, .class = INSTRUCTION_FP_DIV, .falls_through = true, .length = 1},
        {.addr = 1, .class = INSTRUCTION_INT, .falls_through = true, .length = 1}, /* the head */
        {.addr = 2, .class = INSTRUCTION_BRANCH, .falls_through = true, .has_target = true, .target = 0, .length = 1},
        {.addr = 3, .class = INSTRUCTION_CALL, .falls_through = true, .length = 1},
        {.addr = 4, .class = INSTRUCTION_INT, .falls_through = true, .length = 1},
        {.addr = 5, .class = INSTRUCTION_JUMP, .has_target = true, .target = 1, .length = 1},
    };
    uint32_t met[6] = {usual, 1000, 50, 0, rare, rare};
    struct stall_code code = {.items = rows, .met = met, .count = 6};
    return stall_before(&code, 1);
}

Test(stall_before, a_jump_back_that_hardly_runs_is_not_what_stalled)
{
    cr_assert_eq(stalled_before_head(100, 0), 0, "the division falls into the head");
    cr_assert_eq(stalled_before_head(100, 40), 5, "both ways are gone: the jump back is the usual one");
    cr_assert_eq(stalled_before_head(3, 0), 0, "few samples, but a jump keeps nothing waiting: were it gone, what waited before it would show at it");
    cr_assert_eq(stalled_before_head(3, 1), 5, "too few samples to know the ways by");
    cr_assert_eq(stalled_before_head(0, 0), 5, "nor by none");
}

/* A lock that is tried again, out of the way, while it is held; `tries`: samples that fell there. */
static uint32_t stalled_before_first(uint32_t tries)
{
    struct instruction rows[6] = {
        {.addr = 0, .class = INSTRUCTION_ATOMIC, .falls_through = true, .length = 1},
        {.addr = 1, .class = INSTRUCTION_BRANCH, .falls_through = true, .has_target = true, .target = 3, .length = 1},
        {.addr = 2, .class = INSTRUCTION_RETURN, .length = 1},
        {.addr = 3, .class = INSTRUCTION_LOAD_OP, .is_load = true, .falls_through = true, .length = 1},
        {.addr = 4, .class = INSTRUCTION_BRANCH, .falls_through = true, .has_target = true, .target = 0, .length = 1},
        {.addr = 5, .class = INSTRUCTION_RETURN, .length = 1},
    };
    uint32_t met[6] = {1000, 2000, 50, tries, 0, 0};
    struct stall_code code = {.items = rows, .met = met, .count = 6};
    return stall_before(&code, 0);
}

Test(stall_before, a_functions_first_instruction_is_reached_by_calls_too)
{
    cr_assert_eq(stalled_before_first(0), UINT32_MAX, "called: no sample shows that it was tried again");
    cr_assert_eq(stalled_before_first(200), 3, "tried again: the load that its branch waits for");
}

/*
 * What a compiler at run time writes before it uses an object: a comparison whether there is one, a jump over the next, a comparison of its
 * class in memory, and a branch on either. padding: instructions behind that comparison.
 */
static uint32_t stalled_before_check(enum instruction_class first, bool first_loads, uint32_t padding)
{
    struct instruction rows[12] = {
        {.addr = 0, .class = INSTRUCTION_INT, .falls_through = true, .length = 1},
        {.addr = 1, .class = first, .is_load = first_loads, .falls_through = true, .length = 1},
        {.addr = 2, .class = INSTRUCTION_BRANCH, .falls_through = true, .ends_block = true, .has_target = true, .target = 4 + padding, .length = 1},
    };
    uint32_t count = 3, met[12] = {100, 0, 0};
    for (uint32_t at = 0; at < padding; at++, count++)
        rows[count] = (struct instruction){.addr = count, .class = INSTRUCTION_INT, .falls_through = true, .length = 1};
    rows[count] = (struct instruction){.addr = count, .class = INSTRUCTION_LOAD_OP, .is_load = true, .falls_through = true, .length = 1};
    count++;
    rows[count] = (struct instruction){.addr = count, .class = INSTRUCTION_BRANCH, .falls_through = true, .has_target = true, .target = 90, .length = 1};
    met[count] = 2000;
    struct stall_code code = {.items = rows, .met = met, .count = count + 1};
    return stall_before(&code, count);
}

Test(stall_before, a_jump_over_a_comparison_with_memory_is_not_what_stalled)
{
    cr_expect_eq(stalled_before_check(INSTRUCTION_INT, false, 0), 3, "the comparison with memory");
    cr_expect_eq(stalled_before_check(INSTRUCTION_LOAD_OP, true, 0), 1, "another such before the jump: only samples tell");
    cr_expect_eq(stalled_before_check(INSTRUCTION_INT, false, 6), 2, "so many instructions would have shown some: the jump was gone");
}
