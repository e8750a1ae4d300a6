/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of metrics: exact where all was seen, wide enough where not, and what they decide. */
#include "test.h"

#include "analyse/topdown/metric_quality.h"
#include "analyse/topdown/pass_agreement.h"
#include "base/vec.h"
#include "../statistics/draws.h"
#include "statistics/student.h"

#define MS 1000000u

static const struct ratio_window all_seen[] = {{10, 100, 100 * MS, 100 * MS}, {30, 100, 100 * MS, 100 * MS}};

Test(metric_quality, what_was_counted_throughout_is_exact_for_its_run)
{
    struct metric_quality quality;
    ratio_quality_find(&quality, &(struct ratio_question){.windows = all_seen, .window_count = 2, .factor = 1, .is_share = true});
    cr_assert(quality.value.known && quality.interval.known);
    cr_expect_float_eq(quality.value.value, 0.2, 1e-12);
    cr_expect_float_eq(quality.interval.low, 0.2, 1e-12);
    cr_expect_float_eq(quality.interval.high, 0.2, 1e-12);
    cr_expect_eq(quality.marks, 0);
    cr_expect_eq(quality.windows, 2);
    cr_expect_float_eq(quality.seen, 1, 0);
}

Test(metric_quality, one_window_of_a_part_has_no_interval)
{
    static const struct ratio_window part[] = {{10, 100, 100 * MS, 50 * MS}, {0, 0, 100 * MS, 0}};
    struct metric_quality quality;
    ratio_quality_find(&quality, &(struct ratio_question){.windows = part, .window_count = 2, .factor = 1});
    cr_expect(quality.value.known && !quality.interval.known);
    cr_expect(quality.marks & QUALITY_ONE_WINDOW && quality.marks & QUALITY_SCALED);
    cr_expect_float_eq(quality.seen, 0.25, 1e-12);
    cr_expect_eq(threshold_decide(&quality, 0.01, THRESHOLD_ABOVE), DECISION_UNDECIDED);
}

Test(metric_quality, what_never_ran_has_no_value)
{
    static const struct ratio_window never[] = {{0, 0, 100 * MS, 0}, {0, 0, 100 * MS, 0}};
    static const struct ratio_window nothing[] = {{0, 0, 100 * MS, 100 * MS}};
    struct metric_quality quality;
    ratio_quality_find(&quality, &(struct ratio_question){.windows = never, .window_count = 2, .factor = 1});
    cr_expect(!quality.value.known && quality.value.why_not && !quality.interval.known);
    cr_expect_eq(threshold_decide(&quality, 0.1, THRESHOLD_ABOVE), DECISION_UNDECIDED);
    ratio_quality_find(&quality, &(struct ratio_question){.windows = nothing, .window_count = 1, .factor = 1});
    cr_expect(!quality.value.known && !quality.interval.known, "0 / 0 is no value");
    ratio_quality_find(&quality, &(struct ratio_question){.factor = 1});
    cr_expect(!quality.value.known && !quality.interval.known);
}

Test(metric_quality, no_interval_is_narrower_than_the_steps_it_was_read_in)
{
    struct ratio_window windows[64];
    struct metric_quality quality;
    for (size_t at = 0; at < array_count(windows); at++)
        windows[at] = (struct ratio_window){20, 100, 100 * MS, 100 * MS};
    struct ratio_question question = {.windows = windows, .window_count = 1, .factor = 1, .fields = 1};
    ratio_quality_find(&quality, &question);
    cr_expect_float_eq(quality.interval.high - quality.interval.mid, 1.0 / 255, 1e-12);
    cr_expect(quality.marks & QUALITY_STEPS);
    question.window_count = 64;
    ratio_quality_find(&quality, &question);
    cr_expect_geq(quality.interval.high - quality.interval.mid, 0.5 / 255);
    cr_expect_lt(quality.interval.high - quality.interval.mid, 0.7 / 255);
    question.fields = 2; /* a difference of two fields */
    double one = quality.interval.high - quality.interval.mid;
    ratio_quality_find(&quality, &question);
    cr_expect_float_eq(quality.interval.high - quality.interval.mid, 2 * one, 1e-12);
}

Test(metric_quality, events_too_rare_to_be_seen_are_allowed_for)
{
    static const struct ratio_window windows[] = {{0, 100, 100 * MS, 25 * MS}, {0, 100, 100 * MS, 25 * MS}, {0, 100, 100 * MS, 25 * MS}};
    struct metric_quality quality;
    ratio_quality_find(&quality, &(struct ratio_question){.windows = windows, .window_count = 3, .factor = 1});
    cr_expect_float_eq(quality.value.value, 0, 0);
    cr_expect_float_eq(quality.interval.high, 0.75 * 3 / 0.25 / 1200, 1e-9);
}

struct suspect {
    double value;
    unsigned marks;
};

static const struct suspect suspects[] = {
    {-0.2, QUALITY_SUSPECT}, {-0.03, QUALITY_ABOUT_ZERO}, {0, 0}, {1.04, 0}, {1.2, QUALITY_SUSPECT}};

Test(metric_quality, impossible_shares_are_marked_and_decide_nothing)
{
    for (size_t at = 0; at < array_count(suspects); at++) {
        struct ratio_window window = {100 * suspects[at].value, 100, MS, MS};
        struct metric_quality quality;
        ratio_quality_find(&quality, &(struct ratio_question){.windows = &window, .window_count = 1, .factor = 1, .is_share = true});
        cr_expect_eq(quality.marks, suspects[at].marks, "%g", suspects[at].value);
        cr_expect_float_eq(quality.value.value, suspects[at].value, 1e-12, "shown as it was measured");
        if (suspects[at].marks & QUALITY_SUSPECT)
            cr_expect_eq(threshold_decide(&quality, 0.1, THRESHOLD_ABOVE), DECISION_UNDECIDED);
    }
}

Test(metric_quality, decisions_are_made_on_the_interval)
{
    struct metric_quality quality = {.value = measured_as(0.2), .interval = interval_of(0.15, 0.2, 0.25)};
    cr_expect_eq(threshold_decide(&quality, 0.1, THRESHOLD_ABOVE), DECISION_YES);
    cr_expect_eq(threshold_decide(&quality, 0.2, THRESHOLD_ABOVE), DECISION_UNDECIDED);
    cr_expect_eq(threshold_decide(&quality, 0.3, THRESHOLD_ABOVE), DECISION_NO);
    cr_expect_eq(threshold_decide(&quality, 0.3, THRESHOLD_BELOW), DECISION_YES);
    cr_expect_eq(threshold_decide(&quality, 0.1, THRESHOLD_BELOW), DECISION_NO);
    quality.interval = interval_of(0.2, 0.2, 0.2);
    cr_expect_eq(threshold_decide(&quality, 0.2, THRESHOLD_ABOVE), DECISION_NO, "not above what it equals");
    cr_expect_eq(decision_and(DECISION_YES, DECISION_UNDECIDED), DECISION_UNDECIDED);
    cr_expect_eq(decision_and(DECISION_NO, DECISION_UNDECIDED), DECISION_NO);
    cr_expect_eq(decision_or(DECISION_YES, DECISION_UNDECIDED), DECISION_YES);
}

/* A program whose share wanders from slice to slice; of each four, one is seen. */
struct wander {
    struct ratio_window windows[40];
    double truth;
};

static void wander_run(struct wander *wander, struct draws *draws, size_t window_count, double keep)
{
    double all_numerator = 0, all_denominator = 0, level = 0;
    memset(wander, 0, sizeof(*wander));
    for (size_t window = 0; window < window_count; window++)
        for (size_t slice = 0; slice < 100; slice++) {
            level = keep * level + draw_normal(draws);
            double cycles = 1000 * (1 + 0.1 * draw_normal(draws)), share = fmax(0, 0.2 + 0.05 * level);
            bool seen = slice % 4 == 0;
            struct ratio_window *into = &wander->windows[window];
            into->enabled_ns += 4 * MS;
            into->running_ns += seen ? 4 * MS : 0;
            into->numerator += seen ? cycles * share : 0;
            into->denominator += seen ? cycles : 0;
            all_numerator += cycles * share;
            all_denominator += cycles;
        }
    wander->truth = all_numerator / all_denominator;
}

Test(metric_quality, intervals_hold_the_truth_of_what_was_not_seen)
{
    static const double keeps[] = {0, 0.5, 0.95};
    for (size_t kind = 0; kind < array_count(keeps); kind++)
        for (size_t windows = 5; windows <= 40; windows += 35) {
            struct draws draws = {{7, 11, (unsigned short)(13 + kind)}};
            size_t held = 0, rounds = 500;
            double width = 0;
            for (size_t round = 0; round < rounds; round++) {
                struct wander wander;
                struct metric_quality quality;
                wander_run(&wander, &draws, windows, keeps[kind]);
                ratio_quality_find(&quality, &(struct ratio_question){.windows = wander.windows, .window_count = windows, .factor = 1});
                cr_assert(quality.interval.known);
                held += quality.interval.low <= wander.truth && wander.truth <= quality.interval.high;
                width += (quality.interval.high - quality.interval.low) / (double)rounds;
            }
            cr_expect_geq(held, 460, "kept %.2f, %zu windows: %zu of 500", keeps[kind], windows, held);
            cr_expect_lt(width, 0.2, "an interval that says something: %g", width);
        }
}

Test(student, quantiles_as_tabled)
{
    cr_expect_float_eq(student_quantile_95(1), 12.706, 0.001);
    cr_expect_float_eq(student_quantile_95(10), 2.228, 0.001);
    cr_expect_float_eq(student_quantile_95(11), 2.201, 0.001);
    cr_expect_float_eq(student_quantile_95(30), 2.042, 0.001);
    cr_expect_float_eq(student_quantile_95(INFINITY), 1.96, 0.0001);
    cr_expect_float_eq(student_quantile_95(0), 12.706, 0.001);
}

Test(pass_agreement, passes_agree_or_are_said_not_to)
{
    struct pass_control_values passes[] = {
        {measured_as(1000), {measured_as(0.2), measured_as(0.5)}},
        {measured_as(1010), {measured_as(0.21), measured_as(0.49)}},
        {measured_as(1005), {not_measured("its group never ran"), measured_as(0.5)}},
    };
    struct pass_agreement agreement;
    pass_agreement_find(&agreement, passes, 3, 2);
    cr_expect(agreement.compared && agreement.agree);
    cr_expect_float_eq(agreement.instructions_spread, 10.0 / 1005, 1e-9);
    cr_expect_float_eq(agreement.run_spread, sqrt(0.5e-4) / 0.205, 1e-9);
    cr_expect_float_eq(agreement.run_freedom, 1, 0);
    passes[1].shares[1] = measured_as(0.46);
    pass_agreement_find(&agreement, passes, 3, 2);
    cr_expect(agreement.compared && !agreement.agree);
    cr_expect_eq(agreement.share, 1);
    cr_expect_eq(agreement.pass_low, 1);
    cr_expect(!agreement.ranges[0].known && agreement.ranges[1].known, "on the second share they don't agree");
    cr_expect(agreement.ranges[1].low == 0.46 && agreement.ranges[1].high == 0.5);
    passes[1].shares[1] = measured_as(0.5);
    passes[1].instructions = measured_as(1030);
    pass_agreement_find(&agreement, passes, 3, 2);
    cr_expect_not(agreement.agree);
    pass_agreement_find(&agreement, passes, 1, 2);
    cr_expect(!agreement.compared && !agreement.agree, "one pass agrees with nobody");
}
