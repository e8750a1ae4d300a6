/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "statistics/interval.h"

#include <math.h>

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

Test(wilson, matches_published_values)
{
    /* 81 of 263: Agresti & Coull's example; computed by the formula with z = 1.959964. */
    struct interval share = wilson_interval(81, 263, 263);
    cr_assert(share.known && near(share.low, 0.2553, 1e-4) && near(share.high, 0.3662, 1e-4), "%f %f", share.low,
              share.high);
    cr_assert(wilson_interval(0, 10, 10).low == 0 && near(wilson_interval(0, 10, 10).high, 0.2775, 1e-3));
    cr_assert_not(wilson_interval(0, 0, 0).known);
    cr_assert_not(wilson_interval(3, 2, 2).known);
    cr_assert(wilson_interval(50, 100, 25).high > wilson_interval(50, 100, 100).high, "fewer independent: wider");
}

Test(median, rank_interval_has_its_coverage)
{
    double ten[] = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};
    struct interval interval = median_interval(ten, 10);
    cr_assert(near(interval.mid, 5.5, 1e-12) && interval.low == 2 && interval.high == 9, "n = 10: ranks 2 and 9");
    cr_assert(median_interval(ten, 5).low == 1 && median_interval(ten, 5).high == 10, "n = 5: the range");
    cr_assert_not(median_interval(ten, 0).known);
}
