/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "draws.h"
#include "statistics/rank_sum.h"

enum {
    TRIALS = 4000
};

Test(rank_sum, agrees_with_published_tables)
{
    /* Critical values of U at a two-sided 5 % (Mann & Whitney's table): as many differences lie outside. */
    static const struct {
        size_t a, b, critical;
    } cases[] = {{4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {8, 8, 13}, {10, 10, 23}, {12, 15, 49}, {20, 20, 127}};
    for (size_t at = 0; at < array_count(cases); at++) {
        double a[20], b[20];
        for (size_t item = 0; item < cases[at].a; item++)
            a[item] = -1000.0 * (double)item;
        for (size_t item = 0; item < cases[at].b; item++)
            b[item] = (double)item;
        struct interval interval = rank_sum_interval(a, cases[at].a, b, cases[at].b, 0.05);
        size_t below = 0;
        for (size_t i = 0; i < cases[at].a; i++)
            for (size_t j = 0; j < cases[at].b; j++)
                below += b[j] - a[i] < interval.low;
        cr_assert(interval.known && below == cases[at].critical, "%zu, %zu: %zu", cases[at].a, cases[at].b, below);
    }
    double three[] = {1, 2, 3};
    cr_assert_not(rank_sum_interval(three, 3, three, 3, 0.05).known);
    cr_assert_not(rank_sum_interval(three, 0, three, 3, 0.05).known);
    cr_assert_eq(rank_sum_p(three, 0, three, 3), 1);
}

Test(rank_sum, p_of_equal_and_of_separated_sets)
{
    double same[10] = {0}, low[10], high[10];
    for (int at = 0; at < 10; at++) {
        low[at] = at;
        high[at] = 100 + at;
    }
    cr_assert_eq(rank_sum_p(same, 10, same, 10), 1);
    cr_assert(rank_sum_p(low, 10, high, 10) < 0.001);
    cr_assert(rank_sum_p(low, 10, low, 10) > 0.9);
}

Test(rank_sum, covers_and_holds_its_level)
{
    struct draws draws = {{2, 7, 1}};
    int covered = 0, called = 0, large_covered = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double a[25], b[25];
        for (int at = 0; at < 25; at++) {
            a[at] = exp(draw_log_time(&draws, NOISE_SKEWED, 0));
            b[at] = 1.1 * exp(draw_log_time(&draws, NOISE_SKEWED, 0));
        }
        struct interval small = rank_sum_ratio(a, 12, b, 14, 0.05), large = rank_sum_ratio(a, 25, b, 25, 0.05);
        covered += small.low <= 1.1 && 1.1 <= small.high;
        large_covered += large.low <= 1.1 && 1.1 <= large.high;
        for (int at = 0; at < 25; at++)
            b[at] /= 1.1;
        called += rank_sum_p(a, 12, b, 14) <= 0.05;
    }
    cr_assert(covered >= 0.94 * TRIALS && covered <= 0.97 * TRIALS, "%d", covered);
    cr_assert(large_covered >= 0.935 * TRIALS && large_covered <= 0.97 * TRIALS, "%d", large_covered);
    cr_assert(called <= 0.055 * TRIALS, "%d", called);
    double zero[] = {0, 1};
    cr_assert_not(rank_sum_ratio(zero, 2, zero, 2, 0.05).known);
}
