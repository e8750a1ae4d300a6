/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/runs/share_difference.h"
#include "statistics/student.h"

#include <math.h>

/* A number from 0 to 1, the same in every run of the tests. */
static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* A recording of 4000 samples, a millisecond apart: "x" has that share, in bursts of so many samples; the rest is "y". */
static void record(struct share_difference *difference, bool is_b, double share, int burst, uint64_t seed)
{
    struct share_slices slices = {0};
    for (int at = 0, in_x = 0; at < 4000; at++) {
        if (at % burst == 0)
            in_x = next(&seed) < share;
        share_slices_add(&slices, in_x ? 1 : 2, 1000000u * (uint64_t)at, 1e6);
    }
    share_difference_run(difference, is_b, slices.slice_count);
    for (size_t at = 0; at < slices.count; at++)
        share_difference_add(difference, slices.items[at].key == 1 ? "x" : "y", &slices.items[at]);
    share_slices_done(&slices);
}

static const struct share_row *row_named(const struct share_difference *difference, const char *name)
{
    for (size_t at = 0; at < difference->row_count; at++)
        if (strcmp(difference->rows[at].name, name) == 0)
            return &difference->rows[at];
    cr_assert_fail("no row '%s'", name);
    return NULL;
}

Test(share_slices, time_is_halved_as_it_goes_on)
{
    struct share_slices slices = {0};
    for (uint64_t at = 0; at < 1000; at++)
        share_slices_add(&slices, (uint32_t)(at % 3), 5000000 + at * 7777777, 2);
    share_slices_add(&slices, 0, 1, 2); /* before the first */
    double sum = 0;
    for (size_t row = 0; row < slices.count; row++)
        for (size_t at = 0; at < SLICES_MOST; at++)
            sum += slices.items[row].weight[at];
    cr_assert_eq(slices.count, 3);
    cr_assert(slices.slice_count > SLICES_MOST / 2 && slices.slice_count <= SLICES_MOST);
    cr_assert(fabs(sum - 2002) < 1e-9 && slices.items[0].weight[0] > slices.items[1].weight[0] + 1);
    share_slices_done(&slices);
}

Test(share_difference, a_change_is_seen_and_no_change_is_none)
{
    struct share_difference difference;
    share_difference_init(&difference);
    record(&difference, false, 0.30, 1, 1);
    record(&difference, true, 0.40, 1, 2);
    share_difference_finish(&difference);
    const struct share_row *x = row_named(&difference, "x");
    cr_assert(share_row_is_real(x) && x->difference.low > 0.05 && x->difference.high < 0.15);
    cr_assert_float_eq(x->difference.mid, x->b.share - x->a.share, 1e-12);
    cr_assert(!difference.between_runs && !difference.too_few_samples && difference.test_count == 2);
    share_difference_done(&difference);
}

/* Of a hundred pairs without a difference, about five may leave 95 %: whether samples come one by one or in bursts. */
Test(share_difference, intervals_hold_for_samples_that_hang_together)
{
    static const int bursts[] = {1, 40};
    for (size_t kind = 0; kind < 2; kind++) {
        int outside = 0;
        for (uint64_t pair = 0; pair < 200; pair++) {
            struct share_difference difference;
            share_difference_init(&difference);
            record(&difference, false, 0.3, bursts[kind], 2 * pair + 11);
            record(&difference, true, 0.3, bursts[kind], 2 * pair + 12);
            share_difference_finish(&difference);
            const struct interval *found = &row_named(&difference, "x")->difference;
            outside += found->low > 0 || found->high < 0;
            share_difference_done(&difference);
        }
        cr_assert_leq(outside, 20, "%d of 200 intervals miss, in bursts of %d", outside, bursts[kind]);
    }
}

Test(share_difference, recordings_of_a_side_say_how_far_runs_differ)
{
    struct share_difference difference;
    share_difference_init(&difference);
    record(&difference, false, 0.20, 1, 1);
    record(&difference, false, 0.40, 1, 2);
    record(&difference, false, 0.30, 1, 3);
    record(&difference, true, 0.40, 1, 4); /* alone: it is given the others' spread */
    share_difference_finish(&difference);
    const struct share_row *x = row_named(&difference, "x");
    cr_assert(difference.between_runs && x->a.runs == 3 && x->b.runs == 1);
    cr_assert(!share_row_is_real(x) && x->difference.low < 0, "runs of A differ as much");
    share_difference_done(&difference);
}

/* With a few degrees of freedom, which come in fractions. */
Test(share_difference, a_mark_and_an_interval_agree)
{
    for (uint64_t at = 0; at < 40; at++) {
        struct share_difference difference;
        share_difference_init(&difference);
        for (int side = 0; side < 2; side++)
            for (uint64_t run = 0; run < 2; run++)
                record(&difference, side, side ? 0.30 + 0.002 * (double)at : 0.30, 1, 4 * at + 2 * run + (uint64_t)side);
        share_difference_finish(&difference);
        const struct share_row *x = row_named(&difference, "x");
        cr_assert(!share_row_is_real(x) || x->difference.low > 0 || x->difference.high < 0);
        share_difference_done(&difference);
    }
}

Test(share_difference, new_and_gone_rows_and_those_not_shown)
{
    struct share_difference difference;
    struct slice_row half = {.samples = 1000}, other = {.samples = 1000};
    for (size_t at = 0; at < 50; at++)
        half.weight[at] = other.weight[at] = 20;
    share_difference_init(&difference);
    share_difference_run(&difference, false, 50);
    share_difference_add(&difference, "old", &half);
    share_difference_add(&difference, "", &other); /* hidden by a filter: of the whole all the same */
    share_difference_run(&difference, true, 50);
    share_difference_add(&difference, "fresh", &half);
    share_difference_add(&difference, "", &other);
    share_difference_finish(&difference);
    cr_assert_eq(difference.row_count, 2);
    const struct share_row *old = row_named(&difference, "old"), *fresh = row_named(&difference, "fresh");
    cr_assert(old->a.share == 0.5 && old->b.samples == 0 && share_row_is_real(old));
    cr_assert(fresh->b.share == 0.5 && fresh->a.samples == 0 && fresh->difference.low > 0.4 && fresh->difference.low < 0.5);
    share_difference_done(&difference);
}

Test(share_difference, too_few_samples_give_no_interval)
{
    struct share_difference difference;
    struct slice_row few = {.samples = 100};
    for (size_t at = 0; at < 50; at++)
        few.weight[at] = 2;
    share_difference_init(&difference);
    for (int side = 0; side < 2; side++) {
        share_difference_run(&difference, side, 50);
        share_difference_add(&difference, "x", &few);
    }
    share_difference_finish(&difference);
    cr_assert(difference.too_few_samples && !difference.rows[0].difference.known && !difference.rows[0].is_test);
    share_difference_done(&difference);
}

/* Against the tables of the distribution. */
Test(student, probabilities)
{
    cr_assert_float_eq(student_p(12.7062, 1), 0.05, 1e-6);
    cr_assert_float_eq(student_p(-2.228139, 10), 0.05, 1e-6);
    cr_assert_float_eq(student_p(4.032143, 5), 0.01, 1e-6);
    cr_assert_float_eq(student_p(1.959964, INFINITY), 0.05, 1e-6);
    cr_assert_float_eq(student_p(0, 3), 1, 1e-6);
    cr_assert(student_p(100, 31) < 1e-30 && student_p(100, 31) >= 0);
    cr_assert_eq(student_p(3, 0), 1);
}
