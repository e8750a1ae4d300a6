/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which steps are seen in sampled addresses, and that none are where there are none. */
#include "test.h"

#include "analyse/memory/working_set.h"
#include "base/vec.h"

enum { SAMPLES = 1500 };

static uint64_t random_u64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Rows that are walked column by column, sampled at a millisecond that isn't exactly one. */
static void walk_rows(struct timed_address *addresses, uint64_t rows, uint64_t stride, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 88172645463325252u, place = 0;
    for (size_t at = 0; at < SAMPLES; at++) {
        place += 70000 + random_u64(&state) % 9000;
        addresses[at] = (struct timed_address){
            .time_ns = at * 1000000, .addr = 0x7f0000000000 + place % rows * stride + place / rows * 4 % stride};
    }
}

Test(working_set, strides_of_walks_are_seen)
{
    static const struct {
        uint64_t rows, stride;
    } walks[] = {{16384, 16384}, {3000, 20000}, {20000, 4096}, {1024, 262144}};
    for (size_t at = 0; at < array_count(walks); at++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct timed_address addresses[SAMPLES];
            walk_rows(addresses, walks[at].rows, walks[at].stride, seed);
            struct working_set set = working_set_of(addresses, SAMPLES);
            cr_expect(set.stride_bytes + 16 >= walks[at].stride && set.stride_bytes <= walks[at].stride + 16,
                      "%llu rows of %llu: %llu (score %g)", (unsigned long long)walks[at].rows,
                      (unsigned long long)walks[at].stride, (unsigned long long)set.stride_bytes, set.stride_score);
        }
}

/* A load that few samples show: those of one short while are few, and far apart in a wide walk. */
Test(working_set, strides_are_seen_in_few_samples)
{
    enum { FEW = 500 };
    struct timed_address addresses[FEW];
    uint64_t state = 88172645463325252u, place = 0, now_ns = 0;
    for (size_t at = 0; at < FEW; at++) {
        uint64_t later_ns = 300000 + random_u64(&state) % 1600000;
        now_ns += later_ns;
        place += later_ns / 8; /* 8 ns an access */
        addresses[at] = (struct timed_address){.time_ns = now_ns, .addr = 0x7f0000000000 + place % 8192 * 32832 + place / 8192 * 4};
    }
    struct working_set set = working_set_of(addresses, FEW);
    cr_assert(set.stride_bytes + 16 >= 32832 && set.stride_bytes <= 32832 + 16, "%llu (score %g)", (unsigned long long)set.stride_bytes, set.stride_score);
}

/* A hundred nodes of 48 bytes side by side, and then their texts: what an allocator makes of an array of words, gone through in no order. */
Test(working_set, blocks_that_lie_regularly_are_no_steps_of_pointers)
{
    struct timed_address addresses[SAMPLES];
    uint64_t state = 1;
    for (size_t at = 0; at < SAMPLES; at++)
        addresses[at] = (struct timed_address){.time_ns = at * 1000000, .addr = 0x7f0000000000 + random_u64(&state) % 8000 * 30444 + random_u64(&state) % 100 * 48 + 24};
    struct working_set set = working_set_of(addresses, SAMPLES);
    cr_assert(set.stride_bytes, "the blocks' distance is seen");
    working_set_followed(&set);
    cr_expect_eq(set.stride_bytes, 0, "%llu (score %g)", (unsigned long long)set.stride_bytes, set.stride_score);
    walk_rows(addresses, 8192, 4160, 1);
    set = working_set_of(addresses, SAMPLES);
    working_set_followed(&set);
    cr_expect_neq(set.stride_bytes, 0, "nodes one step apart, in order (score %g)", set.stride_score);
}

/* Places at random, each some lines wide, visited at random: whatever lies between them is no step. */
Test(working_set, irregular_places_have_no_stride)
{
    static const struct {
        unsigned places;
        uint64_t wide, within;
    } cases[] = {{2, 1024, 65536},      {3, 512, 1 << 20},   {4, 256, 65536},       {6, 64, 1 << 18},
                 {10, 8, 1 << 20},      {16, 8, 1 << 22},    {24, 64, 1 << 20},     {40, 8, 1 << 20},
                 {200, 8, 1 << 24},     {5000, 16, 1 << 26}};
    for (size_t at = 0; at < array_count(cases); at++) {
        unsigned seen = 0;
        struct working_set last = {0};
        for (uint64_t seed = 1; seed <= 6; seed++) {
            struct timed_address addresses[SAMPLES];
            uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
            for (size_t sample = 0; sample < SAMPLES; sample++) {
                uint64_t place = random_u64(&state) % cases[at].places + seed * 7919;
                uint64_t mixed = place * 0x9e3779b97f4a7c15u + seed;
                uint64_t where = (random_u64(&mixed), random_u64(&mixed), random_u64(&mixed)) % cases[at].within & ~UINT64_C(15);
                addresses[sample] = (struct timed_address){
                    .time_ns = sample * 1000000,
                    .addr = 0x7f0000000000 + where + random_u64(&state) % cases[at].wide / 8 * 8};
            }
            struct working_set set = working_set_of(addresses, SAMPLES);
            seen += set.stride_bytes != 0;
            last = set.stride_bytes ? set : last;
        }
        cr_expect_eq(seen, 0, "%u places of %llu within %llu: %u of 6 (%llu, score %g)", cases[at].places,
                     (unsigned long long)cases[at].wide, (unsigned long long)cases[at].within, seen,
                     (unsigned long long)last.stride_bytes, last.stride_score);
    }
}

/* Objects of one size in a row are steps of it; so are headers of aligned pieces, one in each. */
Test(working_set, one_place_in_every_piece_is_told_from_rows)
{
    struct timed_address addresses[SAMPLES];
    uint64_t state = 5;
    for (size_t at = 0; at < SAMPLES; at++)
        addresses[at] = (struct timed_address){.time_ns = at * 1000000, .addr = 0x10000000 + random_u64(&state) % 300 * 262144};
    struct working_set set = working_set_of(addresses, SAMPLES);
    cr_expect_eq(set.stride_bytes, 262144, "%llu", (unsigned long long)set.stride_bytes);
    cr_expect(set.one_place_in_stride);
}

Test(working_set, few_addresses_say_nothing_of_steps)
{
    struct timed_address addresses[WORKING_SET_ADDRESSES_LEAST];
    uint64_t seen = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t state = seed;
        for (size_t at = 0; at < array_count(addresses); at++)
            addresses[at] = (struct timed_address){.time_ns = at * 1000000, .addr = random_u64(&state) % (1 << 20)};
        seen += working_set_of(addresses, array_count(addresses)).stride_bytes != 0;
    }
    cr_expect_eq(seen, 0, "%llu of 100", (unsigned long long)seen);
}

/* A line in each page, by a rule that looks like a step: the few lines are what is gone over. */
Test(working_set, few_lines_are_no_rows)
{
    struct timed_address addresses[SAMPLES];
    struct working_set rows = {.stride_bytes = 4444, .span_bytes = 32 << 20, .lines = {.known = true, .bytes = 32 << 20}};
    struct working_set few = {.stride_bytes = 4444, .span_bytes = 32 << 20, .lines = {.known = true, .bytes = 512 << 10}};
    cr_expect(working_set_walks_rows(&rows));
    cr_expect_not(working_set_walks_rows(&few));
    walk_rows(addresses, 16384, 16384, 1);
    struct working_set seen = working_set_of(addresses, SAMPLES);
    cr_expect(working_set_walks_rows(&seen));
}

Test(working_set, an_estimate_is_no_larger_than_its_mapping)
{
    struct working_set set = {.lines = {true, 200 << 20, 150 << 20}, .pages = {true, 265 << 20, 258 << 20}};
    working_set_clamp(&set, 256 << 20);
    cr_assert_eq(set.pages.bytes, 256 << 20);
    cr_assert_eq(set.pages.at_least_bytes, 256 << 20);
    cr_assert_eq(set.lines.bytes, 200 << 20);
}
