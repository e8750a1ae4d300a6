/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/time/thread_rounds.h"
#include "base/vec.h"

/* One letter a millisecond, a slot is as long: who works, B for both of two threads, blank for nobody. */
static struct thread_rounds rounds_of(const char *slots)
{
    struct thread_moment moments[400];
    size_t count = 0;
    for (size_t at = 0; slots[at]; at++) {
        uint64_t time_ns = 7000000 + at * 1000000 + 300000;
        if (slots[at] == 'a' || slots[at] == 'B')
            moments[count++] = (struct thread_moment){time_ns, 4};
        if (slots[at] == 'b' || slots[at] == 'B')
            moments[count++] = (struct thread_moment){time_ns + 100000, 9};
    }
    return thread_rounds_of(moments, count, 1000000);
}

Test(thread_rounds, one_that_goes_on_alone_ends_a_round)
{
    static const struct {
        const char *slots;
        uint32_t count;
        double alone_ms;
    } cases[] = {
        {"BBBaaaBBBaaaBBBaaa", 3, 9},
        {"BBBaaaBBBbbb", 2, 6},     /* whoever it is */
        {"BBBaBBBaBBBa", 0, 0},     /* shorter than can be told */
        {"aaaaBBBB", 0, 0},         /* alone before the others began: they weren't done */
        {"aaaabbbbaaaabbbb", 0, 0}, /* in turns */
        {"BBBaaabbbBBB", 1, 3},     /* then in turns: what follows isn't the end of what was shared */
        {"BBB aaa BBB", 0, 0},      /* apart */
        {"BBBBBBBB", 0, 0},
        {"", 0, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct thread_rounds rounds = rounds_of(cases[at].slots);
        cr_expect_eq(rounds.count, cases[at].count, "'%s': %u", cases[at].slots, rounds.count);
        cr_expect_float_eq(rounds.alone_s * 1e3, cases[at].alone_ms, 1e-6, "'%s'", cases[at].slots);
    }
}

Test(thread_rounds, moments_without_an_order_or_too_far_apart)
{
    const struct thread_moment moments[] = {{5000000, 1}, {1000000, 1}, {1200000, 2}, {3000000, 1}, {2000000, 1}};
    cr_expect_eq(thread_rounds_of(moments, array_count(moments), 1000000).count, 1);
    cr_expect_eq(thread_rounds_of(moments, array_count(moments), 0).count, 0);
    const struct thread_moment far[] = {{0, 1}, {UINT64_MAX, 2}};
    cr_expect_eq(thread_rounds_of(far, 2, 1).count, 0);
}
