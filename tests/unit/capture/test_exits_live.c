/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "capture/exits/exits_live.h"

static void look(struct exits *exits, uint64_t count, uint64_t used)
{
    exits_init(exits);
    uint32_t thread = exits_thread(exits, 10, 9);
    struct exit_tally *tally = exits_tally(exits, EXIT_POINT_PIO, EXIT_ISA_NONE, 1, 0, thread);
    tally->count = tally->timed = count;
    tally->total_ns = 100.0 * (double)count;
    tally->min_ns = tally->max_ns = 100;
    tally->has_range = true;
    exits_buckets(exits, tally)[exit_bucket_of(100)] = count;
    exits_use(exits, &(struct exit_use){.point = EXIT_POINT_PIO, .reason = 1, .value = 0x3f8, .thread = thread, .count = used});
    exits->threads[thread].migrations = count;
    exits->threads[thread].vcpu = 3;
    exits->lost = used;
}

/* An interval has what came in it, of counts, times, ports and moves; and the look itself isn't touched. */
Test(exits_live, the_part_since_an_earlier_look)
{
    struct exits before, now, part;
    look(&before, 40, 4);
    look(&now, 100, 9);
    exits_use(&now, &(struct exit_use){.point = EXIT_POINT_PIO, .reason = 1, .value = 0x80, .count = 2});
    exits_init(&part);
    exits_copy(&part, &now);
    exits_subtract(&part, &before);
    const struct exit_tally *tally = exits_tally(&part, EXIT_POINT_PIO, EXIT_ISA_NONE, 1, 0, 0);
    cr_assert(tally->count == 60 && tally->timed == 60 && tally->total_ns == 6000 && !tally->has_range);
    cr_assert_eq(tally->buckets[exit_bucket_of(100)], 60);
    cr_assert(part.use_count == 2 && part.uses[0].count == 5 && part.uses[1].count == 2);
    cr_assert(part.threads[0].migrations == 60 && part.threads[0].vcpu == 3 && part.threads[0].pid == 9 && part.lost == 5);
    cr_assert(now.tallies[0].count == 100 && now.uses[0].count == 9 && now.tallies[0].has_range);
    exits_done(&before);
    exits_done(&now);
    exits_done(&part);
}
