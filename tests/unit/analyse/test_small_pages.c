/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/memory/page_coverage.h"
#include "base/vec.h"

#define MIB (UINT64_C(1) << 20)

static struct huge_page policy_of(const char *anonymous, const char *shared)
{
    struct huge_page policy = {0};
    fact_word_set(&policy.enabled, view_of(anonymous));
    fact_word_set(&policy.shmem_enabled, view_of(shared));
    fact_number_set(&policy.khugepaged_pages_to_scan, 4096);
    fact_number_set(&policy.khugepaged_scan_sleep_ms, 10000);
    return policy;
}

static struct page_area area_of(const char *path, uint64_t start, uint64_t bytes)
{
    return (struct page_area){.start = start, .end = start + bytes, .path = path, .resident_bytes = bytes, .kernel_page_bytes = 4096, .huge_eligible = -1};
}

static struct page_mount mounts[] = {{"/", "ext4", ""}, {"/dev/shm", "tmpfs", "never"}, {"/tmp", "tmpfs", "within_size"}, {"/run", "tmpfs", "advise"}};

static const struct {
    const char *anonymous, *shared, *path;
    uint64_t start, bytes;
    bool advised, advised_never;
    enum small_page_cause cause;
    bool certain;
} cases[] = {
    {"always", "never", "", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_EARLIER, false},
    {"madvise", "never", "", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_POLICY_ADVISED, true},
    {"madvise", "never", "[heap]", 0x40000000, 64 * MIB, true, false, SMALL_PAGE_EARLIER, false},
    {"never", "never", "[anon: x]", 0x40000000, 64 * MIB, true, false, SMALL_PAGE_POLICY_NEVER, true},
    {"always", "never", "", 0x40000000, 64 * MIB, false, true, SMALL_PAGE_ADVISED_NEVER, true},
    {"always", "never", "", 0x40001000, 2 * MIB, false, false, SMALL_PAGE_TOO_SMALL, true},
    {"always", "never", "/memfd:ram (deleted)", 0x40000000, 64 * MIB, true, false, SMALL_PAGE_SHMEM_NEVER, true},
    {"always", "advise", "/dev/zero (deleted)", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_SHMEM_ADVISED, true},
    {"always", "advise", "/SYSV00000000 (deleted)", 0x40000000, 64 * MIB, true, false, SMALL_PAGE_EARLIER, false},
    {"always", "never", "/dev/shm/a", 0x40000000, 64 * MIB, true, false, SMALL_PAGE_TMPFS_NEVER, true},
    {"always", "never", "/run/a", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_TMPFS_ADVISED, true},
    {"always", "never", "/tmp/a", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_EARLIER, false},
    {"always", "deny", "/tmp/a", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_SHMEM_NEVER, true},
    {"always", "force", "/dev/shm/a", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_EARLIER, false},
    {"always", "never", "/dev/shmem", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_FILE, false},
    {"always", "never", "/usr/lib/x.so", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_FILE, false},
    {"always", "never", "[vdso]", 0x40000000, 64 * MIB, false, false, SMALL_PAGE_SPECIAL, true},
};

Test(small_pages, the_first_that_forbids_is_the_cause)
{
    struct huge_page_supply supply = {.mounts = mounts, .mount_count = array_count(mounts)};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct huge_page policy = policy_of(cases[at].anonymous, cases[at].shared);
        struct page_area area = area_of(cases[at].path, cases[at].start, cases[at].bytes);
        area.advised_huge = cases[at].advised;
        area.advised_never = cases[at].advised_never;
        struct small_pages small = small_pages_of(&area, 4096, &policy, &supply);
        cr_expect_eq(small.cause, cases[at].cause, "row %zu: %d", at, small.cause);
        cr_expect_eq(small.certain, cases[at].certain, "row %zu", at);
    }
}

Test(small_pages, what_hinders_where_nothing_forbids)
{
    struct huge_page policy = policy_of("always", "never");
    struct page_area area = area_of("", 0x40000000, 64 * MIB);
    struct huge_page_supply supply = {.mounts = mounts};
    cr_assert_float_eq(small_pages_of(&area, 4096, &policy, &supply).backlog_s, 40, 1e-9);
    fact_number_set(&supply.free_block_bytes, 0);
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_FRAGMENTED);
    fact_number_set(&supply.group_limit_bytes, 100 * MIB);
    fact_number_set(&supply.group_used_bytes, 99 * MIB);
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_GROUP_FULL);
    fact_number_set(&supply.process_allowed, 0);
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_PROCESS_BARRED);
    policy.enabled.known = false;
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_NO_THP);
}

Test(small_pages, the_policy_of_2_mib_goes_before_the_general_one)
{
    struct huge_page policy = policy_of("never", "never");
    struct huge_page_supply supply = {.mounts = mounts};
    struct page_area area = area_of("", 0x40000000, 64 * MIB);
    policy.size_count = 1;
    policy.sizes[0].kib = 2048;
    fact_word_set(&policy.sizes[0].enabled, VIEW("inherit"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_POLICY_NEVER);
    cr_assert_null(small_pages_of(&area, 4096, &policy, &supply).policy_file);
    fact_word_set(&policy.sizes[0].enabled, VIEW("madvise"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_POLICY_ADVISED);
    cr_assert(strstr(small_pages_of(&area, 4096, &policy, &supply).policy_file, "hugepages-2048kB/enabled"));
    fact_word_set(&policy.sizes[0].enabled, VIEW("always"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_EARLIER);
}

Test(small_pages, shared_memory_s_deny_and_force_overrule_the_size_s_own)
{
    struct huge_page policy = policy_of("never", "deny");
    struct huge_page_supply supply = {.mounts = mounts};
    struct page_area area = area_of("/memfd:ram (deleted)", 0x40000000, 64 * MIB);
    policy.size_count = 1;
    policy.sizes[0].kib = 2048;
    fact_word_set(&policy.sizes[0].shmem_enabled, VIEW("always"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_SHMEM_NEVER);
    fact_word_set(&policy.shmem_enabled, VIEW("force"));
    fact_word_set(&policy.sizes[0].shmem_enabled, VIEW("never"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_EARLIER);
    fact_word_set(&policy.shmem_enabled, VIEW("never"));
    cr_assert_eq(small_pages_of(&area, 4096, &policy, &supply).cause, SMALL_PAGE_SHMEM_NEVER);
}

Test(small_pages, only_the_kernel_s_word_proves_that_a_file_can_have_none)
{
    struct huge_page policy = policy_of("always", "never");
    struct huge_page_supply supply = {.mounts = mounts, .mount_count = array_count(mounts)};
    struct page_area area = area_of("/usr/lib/x.so", 0x40000000, 64 * MIB);
    cr_assert_not(small_pages_of(&area, 4096, &policy, &supply).certain);
    area.huge_eligible = 0;
    cr_assert(small_pages_of(&area, 4096, &policy, &supply).certain);
    area.huge_bytes = 2 * MIB;
    cr_assert_not(small_pages_of(&area, 4096, &policy, &supply).certain);
}

Test(page_coverage, ranges_are_summed_by_size_and_mapping)
{
    struct arena arena;
    arena_init(&arena);
    struct page_area areas[] = {area_of("", 0x40000000, 8 * MIB), area_of("/anon_hugepage (deleted)", 0x80000000, UINT64_C(1) << 30)};
    areas[1].kernel_page_bytes = UINT64_C(1) << 30;
    areas[0].swapped_bytes = MIB;
    struct page_range ranges[] = {{0x40000000, 0x40200000, 2 * MIB}, {0x40200000, 0x40280000, 4096}, {0x80000000, 0xc0000000, UINT64_C(1) << 30}};
    struct process_pages pages = {.method = PAGE_METHOD_SCAN, .base_page_bytes = 4096, .areas = areas, .area_count = 2, .ranges = ranges, .range_count = 3};
    struct page_coverage coverage = page_coverage_of(&pages, NULL, NULL, &arena);
    cr_assert_eq(coverage.sizes.base, MIB / 2);
    cr_assert_eq(coverage.sizes.huge, 2 * MIB);
    cr_assert_eq(coverage.sizes.gigantic, UINT64_C(1) << 30);
    cr_assert_eq(coverage.sizes.hugetlb, UINT64_C(1) << 30);
    cr_assert_eq(coverage.sizes.swapped, MIB);
    cr_assert_eq(coverage.mappings[0].area, &areas[0]);
    arena_done(&arena);
}

Test(page_folios, shares_have_intervals_only_when_drawn)
{
    struct page_folios folios = {.pages = {[0] = 50, [4] = 50}, .looked_at = 110, .vanished = 10};
    struct interval share = page_folio_share(&folios, 4);
    cr_assert(share.known && share.low < 0.5 && share.high > 0.5);
    folios.all = true;
    cr_assert_eq(page_folio_share(&folios, 4).low, 0.5);
    folios.looked_at = 10;
    cr_assert_not(page_folio_share(&folios, 4).known);
}
