/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/probes/probe_results.h"
#include "analyse/trace/branch_predictor.h"
#include "analyse/trace/loop_turns.h"
#include "analyse/trace/trace_summary.h"
#include "base/hashmap.h"

#include <string.h>

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Wrong guesses in the second half of 20000. */
static double wrong_share(bool (*outcome)(unsigned at, uint64_t *random))
{
    struct branch_predictor *predictor = branch_predictor_new();
    uint64_t random = 7;
    unsigned wrong = 0;
    for (unsigned at = 0; at < 20000; at++)
        wrong += !branch_predictor_condition(predictor, 0x1000, outcome(at, &random)) && at >= 10000;
    branch_predictor_free(predictor);
    return wrong / 10000.0;
}

static bool by_chance(unsigned at, uint64_t *random)
{
    (void)at;
    return random_next(random) & 1;
}

static bool one_in_ten(unsigned at, uint64_t *random)
{
    (void)at;
    return random_next(random) % 10 == 0;
}

static bool in_sevens(unsigned at, uint64_t *random)
{
    (void)random;
    return at % 7 != 6;
}

static bool by_pattern(unsigned at, uint64_t *random)
{
    (void)random;
    return 0x5b3a96c17e8d204full >> at % 61 & 1;
}

static bool always(unsigned at, uint64_t *random)
{
    (void)at;
    (void)random;
    return true;
}

Test(trace, directions_as_a_good_predictor_guesses_them)
{
    static const struct {
        const char *what;
        bool (*outcome)(unsigned at, uint64_t *random);
        double low, high;
    } cases[] = {
        {"chance", by_chance, 0.42, 0.58}, {"one in ten", one_in_ten, 0.09, 0.16}, {"a loop of seven", in_sevens, 0, 0.001},
        {"a period of 61", by_pattern, 0, 0.002}, {"always", always, 0, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        double share = wrong_share(cases[at].outcome);
        cr_assert(share >= cases[at].low && share <= cases[at].high, "%s: %g", cases[at].what, share);
    }
}

Test(trace, targets_and_returns)
{
    struct branch_predictor *predictor = branch_predictor_new();
    uint64_t random = 3;
    unsigned by_turns = 0, by_luck = 0;
    for (unsigned at = 0; at < 20000; at++)
        by_turns += !branch_predictor_indirect(predictor, 0x10, 0x1000 + at % 5 * 64) && at >= 10000;
    for (unsigned at = 0; at < 20000; at++)
        by_luck += !branch_predictor_indirect(predictor, 0x20, 0x1000 + random_next(&random) % 8 * 64) && at >= 10000;
    cr_assert_lt(by_turns, 20);
    cr_assert(by_luck > 8200 && by_luck < 9300, "%u of 10000, 7 in 8 by chance", by_luck);
    bool known;
    for (uint64_t depth = 0; depth < 20; depth++)
        branch_predictor_call(predictor, depth);
    for (uint64_t depth = 20; depth-- > 0;)
        cr_assert(branch_predictor_return(predictor, depth, &known) && known);
    cr_assert_not(branch_predictor_return(predictor, 5, &known));
    cr_assert_not(known, "its call wasn't seen");
    branch_predictor_free(predictor);
}

/* ---- a trace ---- */

static uint32_t row_add(struct instruction_trace *trace, uint64_t ip, const char *bytes, uint8_t count)
{
    struct traced_instruction *row = vec_push(&trace->table);
    *row = (struct traced_instruction){.ip = ip, .byte_count = count};
    memcpy(row->bytes, bytes, count);
    return (uint32_t)trace->table.count - 1;
}

static void study_of(struct trace_study **ret_study)
{
    struct error err = {0};
    if (!trace_study_new(ret_study, "x86_64", 512, 128, &err))
        cr_skip_test("%s", err.message);
}

/* `jne` over a nop, taken by chance; a nop; `jmp` back: 1 in 2.5 instructions branches, half of them wrongly guessed. */
Test(trace, a_branch_by_chance)
{
    struct trace_study *study;
    study_of(&study);
    for (int burst = 0; burst < 4; burst++) {
        struct instruction_trace trace = {0};
        uint64_t random = (uint64_t)burst + 1;
        uint32_t branch = row_add(&trace, 0x1000, "\x75\x01", 2), skipped = row_add(&trace, 0x1002, "\x90", 1);
        uint32_t back = row_add(&trace, 0x1003, "\xeb\xfb", 2);
        while (trace.sequence.count < 5000) {
            *vec_push(&trace.sequence) = branch;
            if (random_next(&random) & 1)
                *vec_push(&trace.sequence) = skipped;
            *vec_push(&trace.sequence) = back;
        }
        trace_study_add(study, &trace);
        instruction_trace_done(&trace);
    }
    struct trace_summary sum;
    trace_study_result(study, &sum);
    trace_study_free(study);
    cr_assert_eq(sum.bursts, 4);
    cr_assert(sum.conditional.per_1000.known);
    cr_assert(sum.conditional.per_1000.low > 150 && sum.conditional.per_1000.high < 250, "%g to %g",
              sum.conditional.per_1000.low, sum.conditional.per_1000.high);
    cr_assert_eq(sum.indirect.executed, 0);
    cr_assert_eq(sum.indirect.per_1000.high, 0);
    cr_assert_eq(sum.worst_ip, 0x1000);
    cr_assert_eq(sum.code_lines, 1);
    cr_assert_lt(sum.line_misses.high, 0.3);
    cr_assert_not(sum.still_learning);
}

/* A straight walk over nops, one to a line: which of them miss is known once a cache is full of them. */
static struct trace_summary walk_of(uint32_t lines, uint32_t steps)
{
    struct trace_study *study;
    struct instruction_trace trace = {0};
    struct trace_summary sum;
    study_of(&study);
    for (uint32_t at = 0; at < lines; at++)
        (void)row_add(&trace, 0x10000 + (uint64_t)at * 64, "\x90", 1);
    for (uint32_t at = 0; at < steps; at++)
        *vec_push(&trace.sequence) = at % lines;
    trace_study_add(study, &trace);
    trace_study_result(study, &sum);
    instruction_trace_done(&trace);
    trace_study_free(study);
    return sum;
}

Test(trace, code_that_fits_and_code_that_does_not)
{
    struct trace_summary fits = walk_of(400, 4000), beyond = walk_of(600, 6000);
    cr_assert_eq(fits.line_misses.low, 0);
    cr_assert_float_eq(fits.line_misses.high, 100, 0.01, "400 first touches in 4000");
    cr_assert_float_eq(beyond.line_misses.mid, 1000, 0.01);
    cr_assert_float_eq(beyond.line_misses.low, (6000 - 512) / 6.0, 0.01);
    cr_assert_eq(beyond.code_lines, 600);
    cr_assert_float_eq(beyond.lines_per_1000, 600, 0.01);
}

/* Bursts that keep to code that fits: what an earlier one met is there still, and each says less of the rest. */
Test(trace, code_that_fits_is_known_to_after_some_bursts)
{
    struct trace_study *study;
    struct trace_summary sum;
    study_of(&study);
    for (int burst = 0; burst < 6; burst++) {
        struct instruction_trace trace = {0};
        for (uint32_t at = 0; at < 300; at++)
            (void)row_add(&trace, 0x10000 + (uint64_t)at * 64, "\x90", 1);
        for (uint32_t at = 0; at < 3000; at++)
            *vec_push(&trace.sequence) = at % 300;
        trace_study_add(study, &trace);
        instruction_trace_done(&trace);
        trace_study_result(study, &sum);
        cr_assert(burst < 3 ? sum.line_misses.high > 90 : sum.line_misses.high < 1, "burst %d: %g", burst, sum.line_misses.high);
    }
    trace_study_free(study);
}

Test(trace, nothing_and_garbage)
{
    struct trace_study *study;
    struct instruction_trace empty = {0}, garbage = {0};
    struct trace_summary sum;
    study_of(&study);
    trace_study_add(study, &empty);
    trace_study_result(study, &sum);
    cr_assert_eq(sum.instructions, 0);
    cr_assert_not(sum.all.per_1000.known);
    for (int at = 0; at < 50; at++)
        *vec_push(&garbage.sequence) = row_add(&garbage, (uint64_t)at * 7, "\x06\x06", at % 2 ? 2 : 0);
    trace_study_add(study, &garbage);
    trace_study_result(study, &sum);
    cr_assert_eq(sum.instructions, 50);
    cr_assert_eq(sum.undecoded, 50);
    instruction_trace_done(&garbage);
    trace_study_free(study);
}

Test(trace, results_come_back_from_a_case)
{
    struct probe_results results = {0}, again;
    struct error err = {0};
    struct arena arena;
    arena_init(&arena);
    results.of[PROBE_STEP] = (struct probe_result){.asked = true, .known = true};
    results.of[PROBE_STEP].step.trace = walk_of(600, 6000);
    results.of[PROBE_STEP].step.held_s = 0.25;
    results.of[PROBE_STEP].step.ends[1].words = "at a system call";
    results.of[PROBE_STEP].step.ends[1].bursts = 3;
    results.of[PROBE_COLLAPSE] = (struct probe_result){.asked = true, .why_not = "no kernel for it"};
    results.of[PROBE_PIN] = (struct probe_result){.asked = true, .known = true};
    results.of[PROBE_PIN].effect = (struct probe_effect){.subject = "2 threads", .speed_up = interval_of(0.9, 1, 1.1)};
    probe_result_note(&results.of[PROBE_PIN], "undone");
    scoped_text struct text first = {0}, second = {0};
    scoped_json struct json_document *document = NULL;
    probe_results_write(&results, &first);
    cr_assert(json_document_parse(&document, text_view(&first), &err), "%s", err.message);
    cr_assert(probe_results_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_assert_eq(again.of[PROBE_STEP].step.trace.instructions, 6000);
    cr_assert_not(again.of[PROBE_COLLAPSE].known);
    cr_assert_not(again.of[PROBE_HOG].asked);
    probe_results_write(&again, &second);
    cr_assert_str_eq(text_string(&first), text_string(&second));
    arena_done(&arena);
}

/* A loop of three instructions that is entered from before it, and turns so often each time; bursts cut it where they end. */
static struct trace_summary turning(uint32_t turns, uint32_t steps)
{
    struct trace_study *study;
    struct trace_summary sum;
    study_of(&study);
    for (int burst = 0; burst < 8; burst++) {
        struct instruction_trace trace = {0};
        uint32_t before = row_add(&trace, 0x1000, "\x90", 1), head = row_add(&trace, 0x1001, "\x90", 1),
                 back = row_add(&trace, 0x1002, "\x75\xfd", 2), behind = row_add(&trace, 0x1004, "\xeb\xfa", 2);
        for (uint32_t at = 0; trace.sequence.count < steps; at++) {
            if (at % turns == 0) {
                *vec_push(&trace.sequence) = behind;
                *vec_push(&trace.sequence) = before;
            }
            *vec_push(&trace.sequence) = head;
            *vec_push(&trace.sequence) = back;
        }
        trace_study_add(study, &trace);
        instruction_trace_done(&trace);
    }
    trace_study_result(study, &sum);
    trace_study_free(study);
    return sum;
}

Test(trace, turns_of_the_hottest_loop_are_told_by_how_often_it_is_entered)
{
    struct trace_summary sum = turning(50, 4000);
    struct interval turns = turns_per_entry(sum.loop_turns, sum.loop_entries);
    cr_assert_eq(sum.loop_ip, 0x1001);
    cr_assert(turns.low < 50 && turns.high > 50 && turns.mid > 40 && turns.mid < 55, "%f (%f to %f)", turns.mid, turns.low, turns.high);
    cr_assert(sum.loop_share > 0.9, "%f", sum.loop_share);
    sum = turning(1000000, 4000); /* entered once a burst */
    turns = turns_per_entry(sum.loop_turns, sum.loop_entries);
    cr_assert(turns.known && turns.high <= 0 && turns.low > 500, "too few entries bound nothing from above: %f to %f", turns.low, turns.high);
    cr_assert_not(turns_per_entry(0, 0).known);
}
