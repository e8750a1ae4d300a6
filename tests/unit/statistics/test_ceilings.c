/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "statistics/ceilings.h"
#include "test.h"

static struct calibration made(double clock_hz, double issue)
{
    struct calibration made = {.issue_slots = 4, .taken_at_s = 1e9, .elapsed_s = 0.1, .cpu_list = "0-1"};
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        made.figures[at].why_not = "left out";
    made.figures[CALIBRATION_CLOCK].value = interval_of(clock_hz * 0.9, clock_hz, clock_hz * 1.1);
    made.figures[CALIBRATION_ISSUE].value = interval_exactly(issue);
    made.share = interval_exactly(issue / 4);
    made.rounds_ratio = measured_as(0.4);
    made.steps[made.step_count++] = (struct calibration_step){1 << 14, {interval_exactly(2), NULL}, {{0}, "no huge pages"}};
    made.steps[made.step_count++] = (struct calibration_step){1 << 24, {interval_exactly(102), NULL}, {{0}, "no huge pages"}};
    return made;
}

Test(ceilings, before_and_after_span_what_moved)
{
    struct ceilings ceilings = {.before = made(3e9, 4), .after = made(2e9, 2), .has_before = true, .has_after = true};
    ceilings_settle(&ceilings);
    struct interval clock = ceilings_figure(&ceilings, CALIBRATION_CLOCK), share = ceilings_share(&ceilings);
    cr_expect_float_eq(clock.low, 1.8e9, 1);
    cr_expect_float_eq(clock.mid, 2.5e9, 1);
    cr_expect_float_eq(clock.high, 3.3e9, 1);
    cr_expect_float_eq(share.low, 0.5, 1e-9);
    cr_expect_float_eq(share.high, 1, 1e-9);
    cr_expect(ceilings_are_shared(&ceilings));
    cr_expect_not(ceilings.share_is_of_target);
    cr_expect_not(ceilings_figure(&ceilings, CALIBRATION_CPUID).known, "nobody measured it");
}

/* Beside a service memory is looked at once, afterwards. */
Test(ceilings, what_only_one_of_both_measured_stands)
{
    struct ceilings ceilings = {.before = made(3e9, 4), .after = made(2e9, 2), .has_before = true, .has_after = true};
    ceilings.before.step_count = 0;
    ceilings.after.figures[CALIBRATION_READ_ONE] = (struct calibration_value){interval_exactly(8e9), NULL};
    ceilings_settle(&ceilings);
    cr_assert_eq(ceilings.now.step_count, 2);
    cr_expect_float_eq(calibration_latency_ns(&ceilings.now, 1 << 19, false).mid, 52, 1e-9);
    cr_expect_float_eq(ceilings_figure(&ceilings, CALIBRATION_READ_ONE).mid, 8e9, 1);
}

Test(ceilings, glimpses_at_its_own_cpu_count_before_those_elsewhere)
{
    struct ceilings_glimpse glimpses[4] = {{0.1, 0, 2.7e9, 4}, {0.2, 0, 2.7e9, 4}, {0.3, 0, 2.6e9, 3.8}, {0.4, 0, 2.8e9, 4}};
    struct ceilings ceilings = {.before = made(3e9, 2), .has_before = true, .glimpses = glimpses, .glimpse_count = 4};
    ceilings_settle(&ceilings);
    cr_expect_float_eq(ceilings_figure(&ceilings, CALIBRATION_CLOCK).mid, 2.7e9, 1);
    cr_expect(ceilings.share_is_of_target);
    cr_expect_not(ceilings_are_shared(&ceilings));
    ceilings.glimpse_count = CEILINGS_GLIMPSES_LEAST - 1;
    ceilings_settle(&ceilings);
    cr_expect(ceilings_are_shared(&ceilings), "too few of them");
    cr_expect_not(ceilings.share_is_of_target);
}

Test(ceilings, the_kept_one_fills_in_and_no_more)
{
    struct ceilings ceilings = {.before = made(3e9, 4), .has_before = true, .kept = made(1e9, 1), .has_kept = true};
    ceilings.kept.figures[CALIBRATION_CPUID] = (struct calibration_value){interval_exactly(900), NULL};
    ceilings.kept.steps[1].bytes = 1 << 20;
    ceilings_settle(&ceilings);
    cr_expect_float_eq(ceilings_figure(&ceilings, CALIBRATION_CLOCK).mid, 3e9, 1);
    cr_expect_float_eq(ceilings_figure(&ceilings, CALIBRATION_CPUID).mid, 900, 1e-9);
    cr_assert_eq(ceilings.now.step_count, 3);
    cr_expect_eq(ceilings.now.steps[1].bytes, 1 << 20);
    struct ceilings none = {.kept = made(1e9, 1), .has_kept = true};
    ceilings_settle(&none);
    cr_expect_not(ceilings_figure(&none, CALIBRATION_CLOCK).known, "an old one alone says nothing of this run");
    cr_expect_not(ceilings_share(NULL).known);
}

Test(ceilings, latency_lies_between_the_steps)
{
    struct calibration curve = made(3e9, 4);
    cr_expect_float_eq(calibration_latency_ns(&curve, 1 << 10, false).mid, 2, 1e-9);
    cr_expect_float_eq(calibration_latency_ns(&curve, 1 << 19, false).mid, 52, 1e-9);
    cr_expect_float_eq(calibration_latency_ns(&curve, 1e12, false).mid, 102, 1e-9);
    cr_expect_not(calibration_latency_ns(&curve, 1 << 19, true).known);
    cr_expect_not(calibration_latency_ns(NULL, 1 << 19, false).known);
}

Test(ceilings, cpus_differ_by_more_than_their_spread)
{
    struct calibration machine = {.cpu_count = 2};
    machine.cpus[0] = (struct calibration_cpu){0, interval_of(3.0e9, 3.1e9, 3.1e9), interval_exactly(4)};
    machine.cpus[1] = (struct calibration_cpu){1, interval_of(2.9e9, 3.0e9, 3.0e9), interval_exactly(3.9)};
    cr_expect_not(calibration_cpus_differ(&machine));
    machine.cpus[1].clock_hz = interval_of(2.0e9, 2.1e9, 2.2e9);
    cr_expect(calibration_cpus_differ(&machine));
}

/* ---- as a document ---- */

static bool read_back(struct ceilings *again, const char *text, size_t length, struct arena *arena, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    return json_document_parse(&document, (struct view){text, length}, err) &&
           ceilings_read(again, json_root(document), arena, err);
}

Test(ceilings, written_and_read_alike)
{
    struct ceilings_glimpse glimpses[4] = {{0.1, 7, 2.7e9, 4}, {0.2, 0, 2.7e9, 4}, {0.3, 0, 2.6e9, 3.8}, {0.4, 0, 2.8e9, 4}};
    struct ceilings ceilings = {.before = made(3e9, 2), .after = made(2e9, 2), .kept = made(1e9, 1), .has_before = true,
                                .has_after = true, .has_kept = true, .kept_age_s = 60, .glimpses = glimpses,
                                .glimpse_count = 4};
    struct ceilings again;
    struct arena arena;
    struct error err = {0};
    scoped_text struct text out = {0}, second = {0};
    arena_init(&arena);
    ceilings_write(&ceilings, &out);
    cr_assert(read_back(&again, text_string(&out), out.length, &arena, &err), "%s", err.message);
    ceilings_write(&again, &second);
    cr_expect_str_eq(text_string(&out), text_string(&second));
    cr_expect_eq(again.glimpses[0].cpu, 7);
    cr_expect_float_eq(ceilings_figure(&again, CALIBRATION_CLOCK).mid, 2.7e9, 1);
    cr_expect_str_eq(again.before.figures[CALIBRATION_CPUID].why_not, "left out");
    arena_done(&arena);
}

Test(ceilings, a_look_that_an_interruption_spoilt_is_none)
{
    cr_assert(ceilings_glimpse_is_sound(&(struct ceilings_glimpse){1, 0, 3e9, 3.9}));
    cr_assert_not(ceilings_glimpse_is_sound(&(struct ceilings_glimpse){1, 0, 3e6, 1300}));
    cr_assert_not(ceilings_glimpse_is_sound(&(struct ceilings_glimpse){-1, 0, 3e9, 3.9}));
}

Test(ceilings, damage_is_refused_or_left_out)
{
    static const struct {
        const char *text;
        bool reads;
    } cases[] = {
        {"{}", false},
        {"[]", false},
        {"{\"during\":[{}]}", false},
        {"{\"during\":[{\"cpu\":0,\"at_s\":1,\"clock_hz\":0,\"issue_per_cycle\":4}]}", false},
        {"{\"during\":[],\"before\":7}", false},
        {"{\"during\":[],\"before\":{\"clock_hz\":{\"low\":3,\"mid\":2,\"high\":1}}}", true},
        {"{\"during\":[],\"before\":{\"clock_hz\":{\"low\":-3,\"mid\":2,\"high\":4}}}", true},
        {"{\"during\":[],\"before\":{\"clock_hz\":{},\"issue_share_spread\":{\"low\":5,\"mid\":6,\"high\":7},"
         "\"load_latency_ns\":[{\"working_set_bytes\":64},{\"working_set_bytes\":64},{}],\"issue_slots\":4000000000}}", true},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct ceilings ceilings;
        struct arena arena;
        struct error err = {0};
        arena_init(&arena);
        bool reads = read_back(&ceilings, cases[at].text, strlen(cases[at].text), &arena, &err);
        cr_expect_eq(reads, cases[at].reads, "%s: %s", cases[at].text, err.message);
        if (reads) {
            cr_expect_not(ceilings_figure(&ceilings, CALIBRATION_CLOCK).known, "%s", cases[at].text);
            cr_expect_not(ceilings_share(&ceilings).known);
            cr_expect(ceilings.now.step_count <= 1 && !ceilings.now.issue_slots);
        }
        arena_done(&arena);
    }
}

/* A difference that may be all noise is no price of a page walk, whoever kept it: never a negative one. */
Test(ceilings, a_difference_within_its_noise_is_not_resolved)
{
    static const struct {
        double low, mid, high;
        bool resolved;
    } cases[] = {{-1.2, 11.5, 20.4, false}, {-87.8, -87.8, -87.8, false}, {0, 3, 5, false}, {9, 11.5, 14, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct calibration kept = made(3e9, 4), read = {0};
        kept.figures[CALIBRATION_PAGE_WALK] = (struct calibration_value){interval_of(cases[at].low, cases[at].mid, cases[at].high), NULL};
        struct calibration_value value = calibration_resolved(kept.figures[CALIBRATION_PAGE_WALK].value);
        cr_expect(value.value.known == cases[at].resolved && !value.why_not == cases[at].resolved, "case %zu", at);
        scoped_text struct text out = {0};
        scoped_json struct json_document *document = NULL;
        struct json_writer json;
        struct arena arena;
        struct error err = {0};
        arena_init(&arena);
        json_begin(&json, &out);
        json_object_open(&json, NULL);
        calibration_members(&kept, &json);
        json_object_close(&json);
        cr_assert(json_document_parse(&document, text_view(&out), &err), "%s", err.message);
        cr_assert(calibration_read(&read, json_root(document), &arena, &err), "%s", err.message);
        const struct calibration_value *walk = &read.figures[CALIBRATION_PAGE_WALK];
        cr_expect_eq(walk->value.known, cases[at].resolved, "case %zu", at);
        cr_expect(cases[at].resolved || strstr(walk->why_not, "not resolved here"), "case %zu", at);
        arena_done(&arena);
    }
}
