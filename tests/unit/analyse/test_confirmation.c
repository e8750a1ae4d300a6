/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A predicted gain held against a realised one: every way it can come out. */
#include "analyse/runs/confirmation.h"
#include "base/vec.h"

#include <criterion/criterion.h>

struct judged_case {
    const char *name;
    enum foretold_kind kind;
    double predicted_low, predicted_high;
    double realised_low, realised_high; /* gains */
    double noise;                       /* A against itself: 1 - noise .. 1 + noise; 0: not run */
    bool took_hold;
    enum confirmation_verdict verdict;
    enum confirmation_reason reason;
};

#define C CONFIRMATION_CONFIRMED
#define M CONFIRMATION_MORE
#define O CONFIRMATION_OVERTURNED
#define I CONFIRMATION_INCONCLUSIVE
#define SURE CONFIRMATION_BY_INTERVALS

static const struct judged_case judged_cases[] = {
    {"as foretold", FORETOLD_GAIN, 0.2, 0.4, 0.25, 0.35, 0.02, true, C, SURE},
    {"as foretold, without a noise floor", FORETOLD_GAIN, 0.2, 0.4, 0.25, 0.35, 0, true, C, SURE},
    {"as foretold, and nothing shows that it took hold", FORETOLD_GAIN, 0.2, 0.4, 0.25, 0.35, 0.02, false, C, SURE},
    {"within the noise", FORETOLD_GAIN, 0.02, 0.04, 0.01, 0.05, 0.1, true, I, CONFIRMATION_NOISE},
    {"far too wide", FORETOLD_GAIN, 0.3, 0.36, 0.01, 0.63, 0.01, true, I, CONFIRMATION_WIDE},
    {"holds none and all", FORETOLD_GAIN, 0.3, 0.4, -0.1, 0.5, 0.01, true, I, CONFIRMATION_WIDE},
    {"they touch, and no middle agrees", FORETOLD_GAIN, 0.3, 0.4, 0.2, 0.31, 0.01, true, I, CONFIRMATION_WIDE},
    {"surely more", FORETOLD_GAIN, 0.1, 0.2, 0.25, 0.35, 0.02, true, M, SURE},
    {"more, by less than the noise", FORETOLD_GAIN, 0.16, 0.24, 0.52, 0.8, 0.55, true, I, CONFIRMATION_NOISE},
    {"less, by less than the noise", FORETOLD_GAIN, 0.3, 0.4, 0.2, 0.28, 0.1, true, I, CONFIRMATION_NOISE},
    {"none at all", FORETOLD_GAIN, 0.2, 0.4, -0.02, 0.02, 0.02, true, O, SURE},
    {"some, but less", FORETOLD_GAIN, 0.2, 0.4, 0.08, 0.12, 0.02, true, O, SURE},
    {"slower", FORETOLD_GAIN, 0.2, 0.4, -0.3, -0.2, 0.02, true, O, SURE},
    {"none, but did it take hold?", FORETOLD_GAIN, 0.2, 0.4, -0.02, 0.02, 0.02, false, I, CONFIRMATION_NOT_MADE},
    {"part of a bound", FORETOLD_BOUND, 0, 0.4, 0.08, 0.12, 0.02, true, C, SURE},
    {"more than a bound", FORETOLD_BOUND, 0, 0.4, 0.5, 0.6, 0.02, true, M, SURE},
    {"none of a bound", FORETOLD_BOUND, 0, 0.4, -0.01, 0.01, 0.02, true, I, CONFIRMATION_NO_LEAST},
    {"a bound, unresolved", FORETOLD_BOUND, 0, 0.4, -0.1, 0.2, 0.02, true, I, CONFIRMATION_WIDE},
    {"ruled out, rightly", FORETOLD_NONE, 0, 0.02, -0.01, 0.02, 0.02, true, C, SURE},
    {"ruled out, and slower", FORETOLD_NONE, 0, 0.02, -0.3, -0.2, 0.02, true, C, SURE},
    {"ruled out, and yet", FORETOLD_NONE, 0, 0.02, 0.2, 0.3, 0.02, true, O, SURE},
    {"ruled out, and yet within the noise", FORETOLD_NONE, 0, 0.02, 0.2, 0.3, 0.3, true, I, CONFIRMATION_NOISE},
    {"ruled out, unresolved", FORETOLD_NONE, 0, 0.02, 0.02, 0.1, 0.02, true, I, CONFIRMATION_WIDE},
    {"ruled out, but did it take hold?", FORETOLD_NONE, 0, 0.02, -0.01, 0.01, 0.02, false, I, CONFIRMATION_NOT_MADE},
};

static struct comparison comparison_for(const struct judged_case *item)
{
    struct comparison comparison = {
        .ratio = interval_of(1 - item->realised_high, 1 - (item->realised_low + item->realised_high) / 2, 1 - item->realised_low),
        .decisive.pair_count = 12,
    };
    if (item->noise > 0)
        comparison.noise_floor = interval_of(1 - item->noise, 1, 1 + item->noise);
    return comparison;
}

static struct confirmation judge(const struct judged_case *item, const struct comparison *comparison)
{
    struct foretold foretold = {.kind = item->kind, .effect = 0.05};
    struct confirmation confirmation;
    foretold.gain = interval_of(item->predicted_low, (item->predicted_low + item->predicted_high) / 2, item->predicted_high);
    confirmation_judge(&confirmation, &foretold, comparison, &(struct change_seen){.took_hold = item->took_hold});
    return confirmation;
}

Test(confirmation, is_judged_on_intervals)
{
    for (size_t at = 0; at < array_count(judged_cases); at++) {
        const struct judged_case *item = &judged_cases[at];
        struct comparison comparison = comparison_for(item);
        struct confirmation confirmation = judge(item, &comparison);
        cr_expect_eq(confirmation.verdict, item->verdict, "%s: %s", item->name, confirmation_verdict_name(confirmation.verdict));
        cr_expect_eq(confirmation.reason, item->reason, "%s: reason %d", item->name, (int)confirmation.reason);
        cr_expect_eq(confirmation.noise_ratio.known, item->noise > 0, "%s", item->name);
    }
}

Test(confirmation, needs_pairs_and_a_ratio)
{
    const struct judged_case item = judged_cases[0];
    struct comparison comparison = comparison_for(&item);
    comparison.too_few_pairs = true;
    cr_expect_eq(judge(&item, &comparison).reason, CONFIRMATION_FEW);
    comparison.ratio.known = false;
    struct confirmation confirmation = judge(&item, &comparison);
    cr_expect_eq(confirmation.reason, CONFIRMATION_NO_RATIO);
    cr_expect(!confirmation.realised.known);
}

/* Where more pairs would tell, their number grows with the square of the width that is too much. */
Test(confirmation, says_how_many_pairs_would_tell)
{
    const struct judged_case wide = {"wide", FORETOLD_GAIN, 0.3, 0.36, 0.0, 0.66, 0.01, true, I, CONFIRMATION_WIDE};
    struct comparison comparison = comparison_for(&wide);
    struct confirmation confirmation = judge(&wide, &comparison);
    cr_expect(confirmation.pairs_needed > 12 && confirmation.pairs_needed < 100, "%g", confirmation.pairs_needed);
}

Test(confirmation, beside_others_that_use_bandwidth)
{
    static const struct {
        double low, mid, high; /* B / A */
        enum confirmation_verdict verdict;
    } cases[] = {
        {0.98, 1.00, 1.02, CONFIRMATION_OVERTURNED}, /* not slower */
        {1.60, 1.70, 1.80, CONFIRMATION_CONFIRMED},
        {1.05, 1.25, 1.90, CONFIRMATION_INCONCLUSIVE},
        {2.50, 2.60, 2.70, CONFIRMATION_MORE},
    };
    const struct interval share = interval_of(0.7, 0.8, 0.9), stream = interval_of(1.8, 2.0, 2.1);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct comparison comparison = {.ratio = interval_of(cases[at].low, cases[at].mid, cases[at].high),
                                        .noise_floor = interval_of(0.99, 1, 1.01),
                                        .decisive = {.pair_count = 20}};
        struct confirmation confirmation;
        confirmation_judge_slowdown(&confirmation, &share, &stream, 0.05, &comparison);
        cr_assert(confirmation.verdict == cases[at].verdict, "case %zu: %s", at, confirmation_verdict_name(confirmation.verdict));
        cr_assert(confirmation.measure == CONFIRMATION_SLOWDOWN);
        cr_assert_float_eq(confirmation.realised.mid, cases[at].mid - 1, 1e-9);
        cr_assert_float_eq(confirmation.foretold.low, 0.5 * 0.7 * 0.8, 1e-9);
    }
}

Test(confirmation, the_most_that_it_can_be_overturns_and_confirms_nothing)
{
    struct confirmation confirmation;
    struct interval claimed = interval_of(0.4, 0.5, 0.6), little = interval_of(0, 0.05, 0.19), some = interval_of(0, 0.2, 0.39),
                    all = interval_of(0, 0.5, 0.9);
    confirmation_judge_share(&confirmation, &claimed, &little);
    cr_assert(confirmation.verdict == CONFIRMATION_OVERTURNED);
    confirmation_judge_share(&confirmation, &claimed, &some);
    cr_assert(confirmation.verdict == CONFIRMATION_INCONCLUSIVE && confirmation.reason == CONFIRMATION_STANDS);
    confirmation_judge_share(&confirmation, &claimed, &all);
    cr_assert(confirmation.verdict == CONFIRMATION_INCONCLUSIVE && confirmation.reason == CONFIRMATION_STANDS);
}

/* A change that went half-way foretells half of the gain; the whole of it is no more than was foretold. */
Test(confirmation, a_change_that_took_hold_in_part_foretells_that_part)
{
    static const struct {
        const char *name;
        enum foretold_kind kind;
        double extent_low, extent_high, realised_low, realised_high;
        enum confirmation_verdict verdict;
        bool in_part;
    } cases[] = {
        {"half of the faults, half of the gain", FORETOLD_GAIN, 0.49, 0.53, 0.025, 0.055, C, true},
        {"half of the faults, the whole gain", FORETOLD_GAIN, 0.49, 0.53, 0.08, 0.09, C, true},
        {"half of the faults, twice the gain", FORETOLD_GAIN, 0.49, 0.53, 0.16, 0.18, M, true},
        {"half of the faults, none", FORETOLD_GAIN, 0.49, 0.53, -0.005, 0.005, O, true},
        {"all of the faults, half of the gain", FORETOLD_GAIN, 0.97, 0.99, 0.025, 0.055, O, false},
        {"ruled out, and half of it returned little", FORETOLD_NONE, 0.49, 0.53, 0.03, 0.045, I, true},
        {"ruled out, and half of it returned nothing", FORETOLD_NONE, 0.49, 0.53, -0.01, 0.01, C, true},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        const struct judged_case item = {"", cases[at].kind, 0, 0, cases[at].realised_low, cases[at].realised_high, 0.004, true, C, SURE};
        struct comparison comparison = comparison_for(&item);
        struct foretold foretold = {.kind = cases[at].kind, .gain = interval_of(0.075, 0.089, 0.103), .effect = 0.02};
        if (cases[at].kind == FORETOLD_NONE)
            foretold = (struct foretold){.kind = FORETOLD_NONE, .gain = interval_of(0, 0.01, 0.02), .effect = 0.05};
        struct change_seen seen = {.took_hold = true,
                                   .extent = interval_of(cases[at].extent_low, (cases[at].extent_low + cases[at].extent_high) / 2, cases[at].extent_high)};
        struct confirmation confirmation;
        confirmation_judge(&confirmation, &foretold, &comparison, &seen);
        cr_expect_eq(confirmation.verdict, cases[at].verdict, "%s: %s", cases[at].name, confirmation_verdict_name(confirmation.verdict));
        cr_expect_eq(confirmation.extent.known, cases[at].in_part, "%s", cases[at].name);
        if (cases[at].in_part)
            cr_expect_float_eq(confirmation.expected.low, foretold.gain.low * cases[at].extent_low, 1e-9, "%s", cases[at].name);
    }
}
