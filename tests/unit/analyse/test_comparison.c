/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/comparison.h"

Test(comparison, decides_on_the_interval)
{
    static const struct {
        double shift, noise, effect;
        size_t count;
        enum comparison_verdict verdict;
    } cases[] = {
        {0.50, 0.01, 0.01, 10, COMPARISON_FASTER},    {1.30, 0.01, 0.01, 10, COMPARISON_SLOWER},
        {1.00, 0.001, 0.01, 10, COMPARISON_EQUIVALENT}, {1.00, 0.30, 0.01, 10, COMPARISON_UNDECIDED},
        {0.50, 0.01, 0.01, 5, COMPARISON_UNDECIDED},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        double a[10], b[10];
        for (size_t pair = 0; pair < 10; pair++) {
            a[pair] = 1 + 0.1 * (double)pair;
            b[pair] = a[pair] * cases[at].shift * (1 + cases[at].noise * (pair % 2 ? 1 : -1));
        }
        struct comparison comparison = comparison_of(a, b, cases[at].count, cases[at].effect);
        cr_assert_eq(comparison.verdict, cases[at].verdict, "case %zu: [%f %f]", at, comparison.ratio.low,
                     comparison.ratio.high);
    }
    double zero[] = {0, 0, 0, 0, 0, 0}, one[] = {1, 1, 1, 1, 1, 1};
    cr_assert_eq(comparison_of(zero, one, 6, 0.01).verdict, COMPARISON_UNDECIDED);
}
