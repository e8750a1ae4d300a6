/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "draws.h"
#include "base/vec.h"
#include "statistics/multiplicity.h"
#include "statistics/power.h"
#include "statistics/signed_rank.h"

enum {
    TRIALS = 4000,
    PAIRS = 20
};

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

Test(signed_rank, agrees_with_published_tables)
{
    /* Hollander & Wolfe, table A.4: the critical values for a two-sided 5 % are rank sums 0 (n = 6), 8 (10), 52 (20). */
    static const struct {
        size_t count, critical;
    } cases[] = {{6, 0}, {7, 2}, {8, 3}, {9, 5}, {10, 8}, {15, 25}, {20, 52}};
    for (size_t at = 0; at < array_count(cases); at++) {
        double differences[20], averages_below;
        for (size_t item = 0; item < cases[at].count; item++)
            differences[item] = pow(2, (double)item);
        struct interval interval = signed_rank_interval(differences, cases[at].count, 0.05);
        averages_below = 0;
        for (size_t i = 0; i < cases[at].count; i++)
            for (size_t j = i; j < cases[at].count; j++)
                averages_below += (differences[i] + differences[j]) / 2 < interval.low;
        cr_assert(interval.known && near(averages_below, (double)cases[at].critical, 0.1), "n = %zu: %f",
                  cases[at].count, averages_below);
    }
    double five[] = {1, 2, 3, 4, 5};
    cr_assert_not(signed_rank_interval(five, 5, 0.05).known);
    cr_assert_not(signed_rank_interval(five, 0, 0.05).known);
}

Test(signed_rank, p_value_is_exact)
{
    double all_positive[] = {1, 2, 3, 4, 5, 6}, tied[] = {1, 1, 1, 1, 1, 1}, none[] = {0, 0, 0};
    cr_assert(near(signed_rank_p(all_positive, 6), 2.0 / 64, 1e-12));
    cr_assert(near(signed_rank_p(tied, 6), 2.0 / 64, 1e-12));
    cr_assert_eq(signed_rank_p(none, 3), 1);
    double mixed[] = {-1, 2, 3, 4}; /* sums 0 and 1 of 16 patterns lie as far out */
    cr_assert(near(signed_rank_p(mixed, 4), 4.0 / 16, 1e-12));
    double many[400];
    for (size_t at = 0; at < 400; at++)
        many[at] = at % 2 ? 1 : -1;
    cr_assert(signed_rank_p(many, 400) > 0.9, "half of many equal ones: nothing");
}

Test(signed_rank, large_samples_agree_with_the_exact_level)
{
    double differences[61];
    for (size_t at = 0; at < 61; at++)
        differences[at] = (double)(at * 37 % 61) - 25;
    struct interval exact = signed_rank_interval(differences, 60, 0.05), normal = signed_rank_interval(differences, 61, 0.05);
    cr_assert(near(exact.high - exact.low, normal.high - normal.low, 0.5));
    cr_assert_not(signed_rank_interval(differences, 61, 1e-30).known);
}

Test(signed_rank, thousands_of_pairs_are_averaged)
{
    static double differences[20000];
    struct draws draws = {{5, 6, 7}};
    draw_differences(&draws, NOISE_SKEWED, 0.01, 20000, differences);
    struct interval interval = signed_rank_interval(differences, 20000, 0.05);
    cr_assert(interval.low < 0.01 && interval.high > 0.01 && interval.high - interval.low < 0.002);
}

Test(paired_ratio, exact_for_a_constant_ratio)
{
    double a[8], b[8];
    for (int at = 0; at < 8; at++) {
        a[at] = 1 + at;
        b[at] = 1.03 * a[at];
    }
    struct interval ratio = paired_ratio_interval(a, b, 8);
    cr_assert(near(ratio.low, 1.03, 1e-9) && near(ratio.high, 1.03, 1e-9));
    cr_assert_not(paired_ratio_interval_at(a, b, 5, 0.05).known);
    b[1] = 2.5;
    ratio = paired_ratio_interval(a, b, 3);
    cr_assert(ratio.known && near(ratio.low, 1.03, 1e-9) && near(ratio.high, 1.25, 1e-9), "few pairs: the range");
    b[0] = 0;
    cr_assert_not(paired_ratio_interval(a, b, 8).known);
}

/* Share of trials whose 95 % interval holds `effect`. */
static double coverage(enum noise noise, double effect)
{
    struct draws draws = {{1, 2, (unsigned short)noise}};
    double differences[PAIRS];
    int covered = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        draw_differences(&draws, noise, effect, PAIRS, differences);
        struct interval interval = signed_rank_interval(differences, PAIRS, 0.05);
        covered += interval.low <= effect && effect <= interval.high;
    }
    return (double)covered / TRIALS;
}

/* The complement of coverage without an effect is the rate of false positives. */
Test(signed_rank, covers_with_every_noise)
{
    for (enum noise noise = 0; noise < NOISE_KINDS; noise++) {
        double without = coverage(noise, 0), with = coverage(noise, 0.01);
        cr_assert(without >= 0.943 && without <= 0.97, "noise %d without an effect: %.4f", noise, without);
        cr_assert(with >= 0.93 && with <= 0.97, "noise %d with an effect: %.4f", noise, with);
    }
}

/* A pilot predicts how many pairs show 1 %; that many show it four times in five. */
Test(power, planted_effect_is_found_with_the_predicted_count)
{
    struct draws draws = {{9, 8, 7}};
    double differences[600];
    int found = 0, trials = TRIALS;
    double pairs_sum = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        draw_differences(&draws, NOISE_GAUSSIAN, 0, 40, differences);
        struct interval pilot = signed_rank_interval(differences, 40, 0.05);
        struct interval ratio = interval_of(exp(pilot.low), exp(pilot.mid), exp(pilot.high));
        pairs_sum += pairs_needed(&ratio, 40, 0.01);
    }
    size_t pairs = (size_t)(pairs_sum / TRIALS);
    cr_assert(pairs > 40 && pairs < 100, "(1.96 + 0.84)^2 * 2 * 2^2 / 1^2 = 63; predicted %zu", pairs);
    for (int trial = 0; trial < trials; trial++) {
        draw_differences(&draws, NOISE_GAUSSIAN, log(1.01), pairs, differences);
        found += signed_rank_interval(differences, pairs, 0.05).low > 0;
    }
    cr_assert(found > 0.75 * trials && found < 0.88 * trials, "%d of %d with %zu pairs", found, trials, pairs);
    struct interval ratio = interval_of(0.99, 1, 1 / 0.99);
    cr_assert(near(ratio_detectable(&ratio), 0.0145, 2e-4));
}

Test(multiplicity, false_discovery_rates_of_a_textbook_example)
{
    /* Benjamini & Hochberg 1995, section 3.2: of 15 p-values four are called at 5 %. */
    static const double p[] = {0.0278, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0298, 0.0344,
                               0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    double q[15];
    false_discovery_rates(p, 15, q);
    int called = 0;
    for (int at = 0; at < 15; at++)
        called += q[at] <= 0.05;
    cr_assert_eq(called, 4);
    cr_assert(near(q[1], 0.0015, 1e-9) && near(q[14], 1, 1e-9));
}

/* Twenty counters that don't differ: at most one comparison in twenty calls any. */
Test(multiplicity, holds_its_rate_without_effects)
{
    struct draws draws = {{3, 1, 4}};
    int called = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double p[20], q[20];
        bool any = false;
        for (int at = 0; at < 20; at++)
            p[at] = draw_uniform(&draws);
        false_discovery_rates(p, 20, q);
        for (int at = 0; at < 20; at++)
            any |= q[at] <= 0.05;
        called += any;
    }
    cr_assert(called <= 0.06 * TRIALS, "%d of %d", called, TRIALS);
}
