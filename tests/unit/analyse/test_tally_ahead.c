/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that another core adds up, held against those that were added up as they came. */
#include "test.h"

#include "analyse/profile/tally_ahead.h"
#include "base/worker.h"

enum {
    SAMPLES = 300000, /* more than may lie aside */
    PLACES = 5000,
};

static struct sample sample_at(uint32_t number)
{
    uint32_t random = number * 2654435761u;
    return (struct sample){.location = random % PLACES,
                           .stack = random >> 20 & 7,
                           .thread = number % 3,
                           .comm = 1 + number % 2,
                           .cpu = number % 4,
                           .alike = number % 11 ? 0 : 2,
                           .period = 1 + random % 100};
}

static void check_alike(const struct sample_tally *tally, bool by_cpu)
{
    struct sample_tally usual = {.by_cpu = by_cpu};
    for (uint32_t at = 0; at < SAMPLES; at++) {
        struct sample sample = sample_at(at);
        sample_tally_add(&usual, &sample);
    }
    sample_tally_settle(&usual);
    cr_assert_eq(tally->count, usual.count);
    for (size_t at = 0; at < usual.count; at++) {
        const struct tally_item *item = &tally->items[at], *same = &usual.items[at];
        cr_assert(item->location == same->location && item->stack == same->stack && item->comm == same->comm &&
                      item->thread == same->thread && item->cpu == same->cpu,
                  "item %zu", at);
        cr_assert(item->samples == same->samples && item->period == same->period, "item %zu", at);
    }
    sample_tally_done(&usual);
}

static void add_up(void *context)
{
    tally_ahead_enter(context);
    tally_ahead_leave(context);
}

/* idle_each: how often the other core is found idle, in samples; 0: never. */
static void go_through(uint32_t idle_each, bool by_cpu)
{
    struct sample_tally tally = {.by_cpu = by_cpu};
    struct tally_ahead *ahead = tally_ahead_begin(&tally);
    struct worker other = {0};
    for (uint32_t at = 0; at < SAMPLES; at++) {
        struct sample sample = sample_at(at);
        tally_ahead_add(ahead, &sample, TRAITS_NONE);
        if (idle_each && at % idle_each == 0 && tally_ahead_waits(ahead) && worker_is_idle(&other)) {
            worker_end(&other);
            tally_ahead_hand_over(ahead);
            worker_begin(&other, add_up, ahead);
        }
    }
    tally_ahead_settle(ahead);
    worker_end(&other);
    check_alike(&tally, by_cpu);
    tally_ahead_free(ahead);
    sample_tally_done(&tally);
}

Test(tally_ahead, added_up_by_another_core_is_the_same)
{
    go_through(64, false);
    go_through(50000, true);
}

Test(tally_ahead, the_reader_adds_up_itself_where_the_other_core_never_comes)
{
    go_through(0, false);
}
