/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits without a stack are laid where waits of the same thread and a like length were, and nowhere else. */
#include "test.h"

#include "analyse/time/wait_spread.h"

enum { PIPE, DISK, SITES };

static void add(struct wait_spread *spread, uint32_t thread, uint32_t site, uint64_t ns, unsigned times)
{
    const struct wait_amount amount = {.ns = ns, .count = 1, .idle_ns = ns / 2};
    for (unsigned at = 0; at < times; at++)
        wait_spread_add(spread, thread, 7, site, &amount);
}

Test(wait_spread, like_goes_to_like)
{
    struct wait_spread spread = {0};
    struct wait_amount sites[SITES];
    add(&spread, 1, PIPE, 5000, 30);
    add(&spread, 1, DISK, 5000, 10);
    add(&spread, 1, DISK, 20000000, 3);
    add(&spread, 1, WAIT_SITE_NONE, 6000, 400);
    add(&spread, 1, WAIT_SITE_NONE, 21000000, 3);
    struct wait_amount all = wait_spread_share(&spread, sites, SITES);
    cr_assert_eq(all.count, 403);
    cr_assert_eq(all.ns, 400 * 6000 + 3 * 21000000);
    cr_assert_eq(sites[PIPE].count, 300);
    cr_assert_eq(sites[PIPE].ns, 300 * 6000);
    cr_assert_eq(sites[DISK].count, 103);
    cr_assert_eq(sites[DISK].ns, 100 * 6000 + 3 * 21000000);
    cr_assert_eq(sites[PIPE].idle_ns + sites[DISK].idle_ns, all.idle_ns);
    wait_spread_done(&spread);
}

Test(wait_spread, a_long_wait_is_none_of_the_short_ones)
{
    struct wait_spread spread = {0};
    struct wait_amount sites[SITES];
    add(&spread, 1, PIPE, 5000, 1000);
    add(&spread, 1, PIPE, 210000000, 2);  /* hardly ever */
    add(&spread, 2, DISK, 200000000, 10); /* another's */
    add(&spread, 1, WAIT_SITE_NONE, 200000000, 1);
    struct wait_amount all = wait_spread_share(&spread, sites, SITES);
    cr_assert_eq(all.count, 0);
    cr_assert_eq(sites[PIPE].ns, 0);
    wait_spread_done(&spread);
}

Test(wait_spread, a_thread_never_seen_is_like_its_process)
{
    struct wait_spread spread = {0};
    struct wait_amount sites[SITES];
    add(&spread, 1, PIPE, 1000000, 4);
    add(&spread, 2, WAIT_SITE_NONE, 1100000, 8);
    wait_spread_add(&spread, 3, 8, WAIT_SITE_NONE, &(struct wait_amount){.ns = 1100000, .count = 1}); /* of another */
    cr_assert_eq(wait_spread_share(&spread, sites, SITES).count, 8);
    cr_assert_eq(sites[PIPE].count, 8);
    cr_assert_eq(sites[DISK].count, 0);
    wait_spread_done(&spread);
}

Test(wait_spread, nothing_is_no_trouble)
{
    struct wait_spread spread = {0};
    struct wait_amount sites[SITES];
    add(&spread, 1, PIPE, 0, 3); /* of no length */
    add(&spread, 1, WAIT_SITE_NONE, 0, 1);
    cr_assert_eq(wait_spread_share(&spread, sites, SITES).count, 1);
    cr_assert_eq(sites[PIPE].count, 1);
    cr_assert_eq(sites[PIPE].ns, 0);
    wait_spread_done(&spread);
}
