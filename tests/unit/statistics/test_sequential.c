/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "draws.h"
#include "statistics/normal.h"
#include "statistics/sequential.h"
#include "statistics/series.h"
#include "statistics/signed_rank.h"

enum {
    TRIALS = 4000,
    PAIRS_MOST = 48
};

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

Test(normal, quantiles)
{
    cr_assert(near(normal_quantile(0.975), 1.959963984540054, 1e-9));
    cr_assert(near(normal_quantile(0.5), 0, 1e-9));
    cr_assert(near(normal_quantile(1e-9), -5.997807015, 1e-6));
    cr_assert(near(normal_density(0), 0.3989422804014327, 1e-12));
}

/* Five equal looks, 5 %: the published levels of Pocock-like spending (Lan & DeMets 1983) are z = 2.438, 2.427, 2.410, 2.397, 2.386. */
Test(sequential, levels_of_five_equal_looks)
{
    static const double published[] = {2.438, 2.427, 2.410, 2.397, 2.386};
    struct sequential sequential;
    sequential_begin(&sequential, 0.05, 100);
    for (size_t look = 0; look < 5; look++) {
        double z = normal_quantile(1 - sequential_look(&sequential, 20 * (look + 1), false) / 2);
        cr_assert(near(z, published[look], 0.004), "look %zu: %.4f", look + 1, z);
    }
}

Test(sequential, one_look_spends_all)
{
    struct sequential sequential;
    sequential_begin(&sequential, 0.05, 30);
    cr_assert(near(sequential_look(&sequential, 30, false), 0.05, 1e-6));
    sequential_begin(&sequential, 0.05, 1000);
    cr_assert(near(sequential_look(&sequential, 8, true), 0.05, 1e-6), "the time was up");
}

/* Share of trials that stop with an interval that excludes the truth, looking after every quarter more. */
static double wrong_stops(enum noise noise, double effect, double *ret_missed)
{
    struct draws draws = {{4, 5, (unsigned short)noise}};
    double differences[PAIRS_MOST], levels[32];
    size_t looks[32], count = 0;
    struct sequential sequential;
    sequential_begin(&sequential, 0.05, PAIRS_MOST);
    for (size_t pairs = 8; count == 0 || looks[count - 1] < PAIRS_MOST; pairs = sequential_next(pairs)) {
        looks[count] = pairs < PAIRS_MOST ? pairs : PAIRS_MOST;
        levels[count] = sequential_look(&sequential, looks[count], false);
        count++;
    }
    int wrong = 0, missed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        draw_differences(&draws, noise, effect, PAIRS_MOST, differences);
        struct interval interval = {0};
        for (size_t look = 0; look < count; look++) {
            interval = signed_rank_interval(differences, looks[look], levels[look]);
            if (interval.known && (interval.low > 0 || interval.high < 0))
                break;
        }
        wrong += interval.low > effect || interval.high < effect;
        missed += interval.low <= 0 && interval.high >= 0;
    }
    *ret_missed = (double)missed / TRIALS;
    return (double)wrong / TRIALS;
}

Test(sequential, keeps_its_error_rate_with_every_noise, .timeout = 300)
{
    for (enum noise noise = 0; noise < NOISE_KINDS; noise++) {
        double missed, rate = wrong_stops(noise, 0, &missed);
        cr_assert(rate <= 0.055 && rate >= 0.02, "noise %d: %.4f stopped with a difference that isn't there", noise, rate);
    }
}

Test(sequential, interval_at_the_stop_covers, .timeout = 300)
{
    double missed, rate = wrong_stops(NOISE_GAUSSIAN, 0.02, &missed);
    cr_assert(rate <= 0.055, "%.4f", rate);
    cr_assert(missed < 0.05, "an effect as large as the noise is found: missed %.4f", missed);
}

Test(series, trend_is_found_and_noise_is_not)
{
    struct draws draws = {{7, 7, 7}};
    int found = 0, resembling = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double values[20];
        for (int at = 0; at < 20; at++)
            values[at] = draw_log_time(&draws, NOISE_SKEWED, 0);
        found += trend_of(values, 20).p <= 0.05;
        resembling += resemblance_of(values, 20).beyond_chance;
    }
    cr_assert(found <= 0.055 * TRIALS && found > 0.03 * TRIALS, "%d", found);
    cr_assert(resembling <= 0.06 * TRIALS && resembling > 0.02 * TRIALS, "%d", resembling);
    double rising[20], waves[40];
    for (int at = 0; at < 20; at++)
        rising[at] = 10 + 0.5 * at;
    for (int at = 0; at < 40; at++)
        waves[at] = sin(at / 4.0);
    struct trend trend = trend_of(rising, 20);
    cr_assert(trend.known && trend.p < 1e-6 && near(trend.change, 9.5, 1e-9));
    struct resemblance resemblance = resemblance_of(waves, 40);
    cr_assert(resemblance.known && resemblance.beyond_chance && resemblance.correlation > 0.8);
    cr_assert_not(trend_of(rising, 5).known);
    double same[10] = {0};
    cr_assert_not(resemblance_of(same, 10).known);
}
