/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/runs/profile_difference.h"

#include <math.h>

Test(profile_difference, functions_are_matched_by_name_and_file)
{
    struct profile_difference difference;
    profile_difference_init(&difference);
    for (size_t block = 0; block < 9; block++) { /* the ninth isn't complete */
        double wobble = 0.001 * (double)(block % 3);
        profile_difference_add(&difference, block, false, "work", "/old/prog", 1 + wobble);
        profile_difference_add(&difference, block, true, "work", "/new/prog", 1.5 + wobble);
        profile_difference_add(&difference, block, false, "gone", "/old/prog", 0.1);
        profile_difference_add(&difference, block, true, "work", "libc.so.6", 0.25);
        profile_difference_add(&difference, block, false, "same", "libc.so.6", 2);
        profile_difference_add(&difference, block, true, "same", "libc.so.6", 1);
        profile_difference_add(&difference, block, true, "same", "libc.so.6", 1);
    }
    profile_difference_finish(&difference, 8);
    cr_assert_eq(difference.row_count, 4);
    const struct profile_row *rows = difference.rows;
    cr_assert_str_eq(rows[0].function, "work");
    cr_assert_str_eq(rows[0].dso, "prog");
    cr_assert(fabs(rows[0].mean_difference_s - 0.5) < 1e-9 && rows[0].difference_s.known);
    cr_assert(fabs(rows[0].difference_s.low - 0.5) < 1e-9);
    cr_assert_str_eq(rows[1].dso, "libc.so.6");
    cr_assert_eq(rows[1].a_s.mid, 0, "never sampled in A");
    cr_assert_str_eq(rows[2].function, "gone");
    cr_assert(fabs(rows[2].difference_s.high + 0.1) < 1e-9);
    cr_assert(fabs(rows[3].mean_difference_s) < 1e-9);
    cr_assert(fabs(difference.mean_difference_s - 0.65) < 1e-9, "rows add up to the whole");
    profile_difference_done(&difference);
}

Test(profile_difference, nothing_added_is_nothing)
{
    struct profile_difference difference;
    profile_difference_init(&difference);
    profile_difference_finish(&difference, 8);
    cr_assert_eq(difference.row_count, 0);
    profile_difference_done(&difference);
    profile_difference_init(&difference);
    profile_difference_add(&difference, 0, true, "f", "x", 1);
    profile_difference_finish(&difference, 2);
    cr_assert_not(difference.rows[0].difference_s.known, "two blocks give no interval");
    profile_difference_done(&difference);
}
