/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/sampled.h"
#include "base/vec.h"

static void is_in_order(const struct sampled *items, const struct sampled *expected, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        cr_assert_eq(items[at].index, expected[at].index, "item %zu", at);
        cr_assert_eq(items[at].samples, expected[at].samples, "item %zu", at);
    }
}

Test(sampled, the_most_first_and_of_alike_ones_the_lower_index)
{
    struct sampled items[] = {{3, 7}, {9, 4}, {3, 2}, {UINT64_MAX, 1}, {0, 0}};
    const struct sampled expected[] = {{UINT64_MAX, 1}, {9, 4}, {3, 2}, {3, 7}, {0, 0}};
    sampled_sort(items, array_count(items));
    is_in_order(items, expected, array_count(items));
}

Test(sampled, of_one_index_they_are_added_up)
{
    struct sampled items[] = {{2, 5}, {4, 1}, {3, 5}, {1, 9}, {1, 5}};
    const struct sampled expected[] = {{6, 5}, {4, 1}, {1, 9}};
    size_t count = sampled_join(items, array_count(items));
    cr_assert_eq(count, array_count(expected));
    is_in_order(items, expected, count);
}

Test(sampled, of_none_there_is_nothing_to_sort)
{
    cr_assert_eq(sampled_join(NULL, 0), 0);
    sampled_sort(NULL, 0);
}
