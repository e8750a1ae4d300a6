/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "probe/page_walk.h"
#include "probe/page_walk_spread.h"

/* Not a timing test: shapes, order of bounds, and an honest refusal where there are no huge pages. */
Test(page_walk, measures_every_pattern_or_says_why_not)
{
    static const struct page_walk_request cases[] = {
        {.span_bytes = 32u << 20, .stride_bytes = 16384, .budget_ns = 1},
        {.span_bytes = 16u << 20, .budget_ns = 1},
        {.span_bytes = 32u << 20, .stride_bytes = 16384, .work_instructions = 400, .budget_ns = 1},
        {.span_bytes = 16u << 20, .lines_bytes = 1u << 20, .dependent = true, .budget_ns = 1},
        {.span_bytes = 16u << 20, .dependent = true, .budget_ns = 1, .block_ns = 500000, .touch_once = true},
    };
    struct sysroot root;
    sysroot_init(&root, NULL);
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct page_walk_result result = {0};
        struct error err = {0};
        if (!page_walk_measure(&root, &cases[at], &result, &err)) {
            cr_assert(err.kind == ERROR_UNSUPPORTED || err.kind == ERROR_LIMIT, "%s", err.message);
            cr_skip_test("%s", err.message);
        }
        cr_assert(result.ratio.known && result.ratio.low <= result.ratio.mid && result.ratio.mid <= result.ratio.high);
        cr_assert(result.ns_4k.low > 0 && result.ns_2m.low > 0);
        cr_assert(result.ns_work.known && result.ratio_spread.known && result.wait_spread.known);
        cr_assert(result.wait_spread.low >= 0 && result.ratio_spread.low > 0);
        cr_assert(result.huge_ratio >= 0.9 && result.huge_ratio <= 1);
        cr_assert_geq(result.block_count, 12);
        cr_assert(result.ns_near.known && result.ns_near.low > 0);
        cr_assert(!cases[at].touch_once || result.touch_2m.low >= result.touch_2m.high);
    }
}

/* A chase of fewer lines than the program's is served by a cache that the program's isn't. */
Test(page_walk, a_chase_touches_as_many_lines_as_the_program)
{
    for (unsigned shift = 22; shift <= 30; shift++)
        for (int dependent = 0; dependent <= 1; dependent++) {
            struct page_walk_request request = {.span_bytes = 1ull << shift, .dependent = dependent};
            cr_expect_eq(page_walk_lines(&request, request.span_bytes) * 64, 1ull << shift, "%u", shift);
        }
    struct page_walk_request few = {.span_bytes = 1ull << 30, .lines_bytes = 3 << 20, .dependent = true};
    cr_expect_eq(page_walk_lines(&few, few.span_bytes) * 64, 2 << 20);
}

Test(page_walk, a_chase_goes_through_every_node_once_and_not_in_order)
{
    for (uint64_t count = 1024; count <= 1 << 16; count *= 4) {
        uint64_t at = 0, steps = 0, near = 0;
        do {
            uint64_t next = page_walk_next(at, count);
            cr_assert(next < count);
            near += next - at + 8 < 16; /* a prefetcher would guess it */
            at = next;
            steps++;
        } while (at && steps <= count);
        cr_expect_eq(steps, count, "%llu of %llu", (unsigned long long)steps, (unsigned long long)count);
        cr_expect(near * 20 < count, "%llu of %llu", (unsigned long long)near, (unsigned long long)count);
    }
}

/* 7 ns on small pages, 6 on huge ones, 5 of them work: of what is waited for, half is left. */
static struct page_walk_blocks steady_blocks(void)
{
    struct page_walk_blocks blocks = {.count = 60};
    for (size_t at = 0; at < blocks.count; at++) {
        double drift = 1 + 0.002 * (double)(at % 7);
        blocks.small[at] = 7 * drift;
        blocks.huge[at] = 6 * drift;
        blocks.work[at] = 5 * drift;
        blocks.line[at] = 1;
    }
    return blocks;
}

static void expect_steady(const struct page_walk_blocks *blocks)
{
    struct interval ratio = page_walk_ratio_spread(blocks), wait = page_walk_wait_spread(blocks);
    cr_expect(ratio.known && ratio.low > 0.84 && ratio.high < 0.88, "%g %g", ratio.low, ratio.high);
    cr_expect(wait.known && wait.low > 0.44 && wait.high < 0.56, "%g %g", wait.low, wait.high);
}

Test(page_walk, single_blocks_that_something_disturbed_say_nothing)
{
    struct page_walk_blocks blocks = steady_blocks();
    expect_steady(&blocks);
    for (size_t at = 0; at < blocks.count; at += PAGE_WALK_BATCH) {
        blocks.small[at] *= 9;
        blocks.huge[at + 1] *= 4;
        blocks.work[at + 2] *= 3;
    }
    expect_steady(&blocks);
}

Test(page_walk, a_minority_of_disturbed_batches_says_nothing)
{
    struct page_walk_blocks blocks = steady_blocks();
    for (size_t at = 12; at < 24; at++)
        blocks.work[at] *= 2;
    for (size_t at = 30; at < 36; at++)
        blocks.huge[at] *= 1.5;
    expect_steady(&blocks);
}

Test(page_walk, batches_that_really_differ_are_all_told)
{
    struct page_walk_blocks blocks = steady_blocks();
    for (size_t at = 0; at < blocks.count; at++)
        blocks.huge[at] = 6 + 0.1 * (double)(at / PAGE_WALK_BATCH);
    struct interval ratio = page_walk_ratio_spread(&blocks);
    cr_expect(ratio.low < 0.87 && ratio.high > 0.97, "%g %g", ratio.low, ratio.high);
}

Test(page_walk, a_wait_that_huge_pages_end_is_gone_and_none_is_not_shortened)
{
    struct page_walk_blocks blocks = steady_blocks();
    for (size_t at = 0; at < blocks.count; at++)
        blocks.huge[at] = 4.9;
    cr_expect_eq(page_walk_wait_spread(&blocks).high, 0);
    for (size_t at = 0; at < blocks.count; at++)
        blocks.small[at] = 4.8;
    cr_expect_eq(page_walk_wait_spread(&blocks).low, 1);
    blocks.count = PAGE_WALK_BATCH - 1;
    cr_expect(!page_walk_wait_spread(&blocks).known);
}
