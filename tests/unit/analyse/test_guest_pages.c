/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/memory/guest_pages.h"
#include "base/vec.h"

#define MIB (UINT64_C(1) << 20)

/* Levels as KVM tells them (-1: unreadable), what backs them, and who is at fault. */
static const struct {
    int64_t pages_4k, pages_2m, pages_1g, splits;
    uint64_t small, huge;
    bool shadow, has_private, coverage;
    enum guest_page_verdict verdict;
} rows[] = {
    {4099, 0, 0, 0, 16 * MIB, 0, false, false, true, GUEST_PAGES_BACKING_SMALL},
    {24, 9, 0, 0, 0, 18 * MIB, false, false, true, GUEST_PAGES_HOST_HUGE},
    {24, 9, 0, 0, 0, 18 * MIB, true, false, true, GUEST_PAGES_BOTH_HUGE},
    {24, 0, 4, 0, 0, 4096 * MIB, false, false, true, GUEST_PAGES_HOST_HUGE},
    {4099, 0, 0, 0, 0, 16 * MIB, false, false, true, GUEST_PAGES_SPLIT},
    {4099, 0, 0, 7, 0, 16 * MIB, false, false, true, GUEST_PAGES_SPLIT_BY_NX},
    {4099, 0, 0, 0, 0, 16 * MIB, true, false, true, GUEST_PAGES_SHADOW_SMALL},
    {4099, 0, 0, 0, 0, 16 * MIB, false, true, true, GUEST_PAGES_PRIVATE},
    {24, 9, 0, 0, 16 * MIB, 0, false, true, true, GUEST_PAGES_HOST_HUGE},
    {4099, 0, 0, 0, 0, 0, false, false, false, GUEST_PAGES_BACKING_UNKNOWN},
    {0, 0, 0, 0, 16 * MIB, 0, false, false, true, GUEST_PAGES_NONE},
    {-1, 0, 0, 0, 16 * MIB, 0, false, false, true, GUEST_PAGES_UNKNOWN},
};

static void level_set(struct fact_number *fact, int64_t value)
{
    if (value < 0)
        fact_number_absent(fact, "refused");
    else
        fact_number_set(fact, value);
}

Test(guest_pages, who_is_at_fault)
{
    for (size_t at = 0; at < array_count(rows); at++) {
        struct page_area area = {.start = 0x40000000, .end = 0x80000000, .protection = "rw-p", .path = ""};
        struct mapping_coverage mapping = {.area = &area, .sizes = {.base = rows[at].small, .huge = rows[at].huge}};
        struct page_coverage coverage = {.mappings = &mapping, .mapping_count = 1};
        struct guest_pages guest = {.shadow = rows[at].shadow, .has_private = rows[at].has_private};
        level_set(&guest.pages_4k, rows[at].pages_4k);
        level_set(&guest.pages_2m, rows[at].pages_2m);
        level_set(&guest.pages_1g, rows[at].pages_1g);
        level_set(&guest.splits_by_nx, rows[at].splits);
        guest_pages_judge(&guest, rows[at].coverage ? &coverage : NULL, NULL);
        cr_expect_eq(guest.verdict, rows[at].verdict, "row %zu: %d", at, guest.verdict);
    }
}

Test(guest_pages, references_of_a_walk)
{
    cr_assert_eq(page_walk_references(4, 4), 24);
    cr_assert_eq(page_walk_references(3, 4), 19);
    cr_assert_eq(page_walk_references(4, 3), 19);
    cr_assert_eq(page_walk_references(3, 3), 15);
    cr_assert_eq(page_walk_references(4, 2), 14);
    cr_assert_eq(page_walk_references(3, 2), 11);
    cr_assert_eq(page_walk_references(5, 5), 35);
}
