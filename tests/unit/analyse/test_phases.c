/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/time/phases.h"

enum {
    COUNT = 3000
};

static struct phases find(uint32_t (*key_at)(size_t, unsigned short *), struct arena *arena)
{
    static struct phase_sample samples[COUNT];
    unsigned short state[3] = {5, 6, 7};
    for (size_t at = 0; at < COUNT; at++)
        samples[at] = (struct phase_sample){.time_ns = at * 1000, .key = key_at(at, state), .weight = 1000};
    return phases_find(samples, COUNT, arena);
}

static uint32_t steady(size_t at, unsigned short *state)
{
    (void)at;
    return (uint32_t)(erand48(state) * 10);
}

static uint32_t one_change(size_t at, unsigned short *state)
{
    return (uint32_t)(erand48(state) * 4) + (at >= 1200 ? 2 : 0);
}

static uint32_t alternating(size_t at, unsigned short *state)
{
    return (uint32_t)(erand48(state) * 3) + (at / 500 % 2 ? 10 : 0);
}

Test(phases, one_mix_is_one_phase_and_changes_are_found_where_they_are)
{
    struct arena arena;
    arena_init(&arena);
    cr_assert_eq(find(steady, &arena).phase_count, 1);
    struct phases change = find(one_change, &arena);
    cr_assert_eq(change.segment_count, 2);
    cr_assert(abs((int)change.segments[1].first - 1200) <= 5, "%zu", change.segments[1].first);
    struct phases turns = find(alternating, &arena);
    cr_assert_eq(turns.phase_count, 2);
    cr_assert_eq(turns.segment_count, 6);
    cr_assert_eq(turns.segments[2].phase, 0);
    cr_assert_eq(phases_find(NULL, 0, &arena).segment_count, 0);
    arena_done(&arena);
}
