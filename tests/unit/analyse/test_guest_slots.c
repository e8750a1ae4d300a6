/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/memory/guest_pages.h"
#include "base/vec.h"

#define MIB (UINT64_C(1) << 20)

static struct arena arena;

static void setup(void)
{
    arena_init(&arena);
}

static void teardown(void)
{
    arena_done(&arena);
}

TestSuite(guest_slots, .init = setup, .fini = teardown);

/* A monitor with 64 MiB at 256 MiB, of which the upper half is huge, and 8 MiB small at 512 MiB. */
static struct page_area areas[] = {
    {.start = 256 * MIB, .end = 320 * MIB, .protection = "rw-p", .path = "", .resident_bytes = 64 * MIB, .huge_bytes = 32 * MIB},
    {.start = 512 * MIB, .end = 520 * MIB, .protection = "r--p", .path = "/rom", .resident_bytes = 8 * MIB},
    {.start = 600 * MIB, .end = 800 * MIB, .protection = "rw-p", .path = "", .resident_bytes = 200 * MIB, .huge_bytes = 200 * MIB},
};
static struct page_range ranges[] = {
    {256 * MIB, 288 * MIB, 4096}, {288 * MIB, 320 * MIB, 2 * MIB}, {512 * MIB, 520 * MIB, 4096}, {600 * MIB, 800 * MIB, 2 * MIB}};
static struct process_pages pages = {.method = PAGE_METHOD_SCAN, .base_page_bytes = 4096, .areas = areas, .area_count = 3, .ranges = ranges, .range_count = 4};
static struct page_coverage coverage = {.pages = &pages};

static struct memory_slot slots[] = {
    {.guest_addr = 0, .bytes = 40 * MIB, .host_addr = 256 * MIB, .id = 0},                /* 32 small, 8 huge */
    {.guest_addr = 64 * MIB, .bytes = 24 * MIB, .host_addr = 296 * MIB + 4096, .id = 1, .logged = true}, /* huge, skewed */
    {.guest_addr = 3 * 1024 * MIB, .bytes = MIB, .host_addr = 512 * MIB, .id = 2, .read_only = true},
    {.guest_addr = 3 * 1024 * MIB + 4 * MIB, .bytes = 4096, .host_addr = 900 * MIB, .id = 32766},
};

Test(guest_slots, have_the_pages_behind_them)
{
    struct memory_slots all = {slots, array_count(slots), NULL};
    struct guest_slots covered = guest_slots_of(&all, &coverage, &arena);
    cr_assert(covered.sizes_known);
    cr_assert(covered.items[0].small_bytes == 32 * MIB && covered.items[0].huge_bytes == 8 * MIB && !covered.items[0].is_skewed);
    cr_assert_eq(covered.items[0].blocks_bytes, 40 * MIB);
    cr_assert(covered.items[1].is_skewed && covered.items[1].blocks_bytes == 0 && covered.items[1].huge_bytes == 24 * MIB - 4096);
    cr_assert(covered.items[2].small_bytes == MIB && covered.items[2].blocks_bytes == 0 && !covered.items[2].is_skewed);
    cr_assert(covered.items[3].small_bytes == 0 && covered.items[3].huge_bytes == 0 && memory_slot_is_kvms(&slots[3]));
    cr_assert(covered.skewed_huge_bytes == 24 * MIB - 4096 && covered.logged_huge_bytes == 24 * MIB - 4096);
    cr_assert(guest_slots_have(&covered, &areas[0]) && guest_slots_have(&covered, &areas[1]) && !guest_slots_have(&covered, &areas[2]));
}

Test(guest_slots, by_mapping_a_part_of_a_mixed_one_is_not_known)
{
    struct process_pages by_mapping = pages;
    struct page_coverage from_smaps = {.pages = &by_mapping};
    by_mapping.method = PAGE_METHOD_SMAPS;
    by_mapping.range_count = 0;
    struct memory_slot some[] = {{.bytes = 40 * MIB, .host_addr = 256 * MIB}, {.guest_addr = 1024 * MIB, .bytes = 64 * MIB, .host_addr = 256 * MIB},
                                 {.guest_addr = 2048 * MIB, .bytes = 2 * MIB, .host_addr = 700 * MIB}};
    struct memory_slots all = {some, array_count(some), NULL};
    struct guest_slots covered = guest_slots_of(&all, &from_smaps, &arena);
    cr_assert(!covered.sizes_known && !covered.items[0].sizes_known);
    cr_assert(covered.items[1].sizes_known && covered.items[1].small_bytes == 32 * MIB && covered.items[1].huge_bytes == 32 * MIB);
    cr_assert(covered.items[2].sizes_known && covered.items[2].huge_bytes == 2 * MIB);
    struct guest_slots none = guest_slots_of(&all, NULL, &arena);
    cr_assert_not(none.sizes_known || none.items[0].sizes_known);
}

/* Levels all small, the backing huge: which of the reasons KVM has. */
Test(guest_slots, decide_why_kvm_splits)
{
    static const struct {
        bool skewed, logged, shadow;
        enum guest_page_verdict verdict;
    } rows[] = {
        {true, false, false, GUEST_PAGES_SKEWED}, {false, true, false, GUEST_PAGES_LOGGED}, {true, true, true, GUEST_PAGES_SKEWED},
        {false, false, false, GUEST_PAGES_SPLIT}, {false, false, true, GUEST_PAGES_SHADOW_SMALL},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct memory_slot slot = {.bytes = 64 * MIB, .host_addr = 600 * MIB + (rows[at].skewed ? 4096 : 0), .logged = rows[at].logged};
        struct memory_slots all = {&slot, 1, NULL};
        struct guest_slots covered = guest_slots_of(&all, &coverage, &arena);
        struct guest_pages guest = {.shadow = rows[at].shadow};
        fact_number_set(&guest.pages_4k, 16384);
        fact_number_set(&guest.pages_2m, 0);
        guest_pages_judge(&guest, &coverage, &covered);
        cr_expect_eq(guest.verdict, rows[at].verdict, "row %zu: %d", at, guest.verdict);
        cr_expect(guest.backing_small_bytes == 0 && guest.backing_huge_bytes >= 63 * MIB);
    }
}
