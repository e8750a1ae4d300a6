/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory is gone over, of sampled addresses whose memory is known: walks, draws, sparse and overlapping ones; windows that move. */
#include "test.h"

#include "analyse/memory/touched_memory.h"
#include "analyse/memory/touched_while.h"
#include "base/vec.h"

enum { MANY = 4000 };

static const uint64_t BASE = 0x7f0000000000;

static uint64_t random_u64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A walk of `bytes` at 4 bytes a nanosecond by a timer of 250 us that is a little late each time. */
static void walk(struct timed_address *addresses, size_t count, uint64_t bytes, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 88172645463325252u, now = 0;
    for (size_t at = 0; at < count; at++) {
        now += 250000 + random_u64(&state) % 3000;
        addresses[at] = (struct timed_address){.time_ns = now, .addr = BASE + (now * 4 % bytes & ~7ull)};
    }
}

static void draw(struct timed_address *addresses, size_t count, uint64_t units, uint64_t apart, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 88172645463325252u;
    for (size_t at = 0; at < count; at++)
        addresses[at] = (struct timed_address){.time_ns = at * 250000, .addr = BASE + random_u64(&state) % units * apart};
}

static void expect_near(struct interval size, double bytes, double factor, const char *what, uint64_t case_of)
{
    cr_expect(size.known && size.mid <= bytes * factor && size.mid >= bytes / factor, "%s of %llu: %g", what,
              (unsigned long long)case_of, size.known ? size.mid : -1);
    cr_expect(size.low <= size.mid && size.mid <= size.high);
}

Test(touched_memory, walks_and_draws_of_every_size)
{
    static const uint64_t sizes[] = {16 << 10, 100 << 10, 1 << 20, 12 << 20, 100 << 20, 512 << 20};
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(sizes); at++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            walk(addresses, MANY, sizes[at], seed);
            struct touched_memory walked = touched_memory_of(addresses, MANY, 8, &arena);
            expect_near(walked.lines_bytes, (double)sizes[at], 1.3, "walk", sizes[at]);
            draw(addresses, MANY, sizes[at] / 64, 64, seed);
            struct touched_memory drawn = touched_memory_of(addresses, MANY, 0, &arena);
            cr_expect(drawn.lines_least_bytes <= (double)sizes[at] * 1.02);
            cr_expect(drawn.lines_most_bytes >= (double)sizes[at] * 0.98);
            expect_near(drawn.pages_bytes, (double)sizes[at], 1.3, "pages of a draw", sizes[at]);
            if (drawn.lines_bytes.known)
                expect_near(drawn.lines_bytes, (double)sizes[at], 1.5, "draw", sizes[at]);
        }
    arena_done(&arena);
}

/* A line in each page: what a TLB suffers from. */
Test(touched_memory, few_lines_in_many_pages)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 8192, 4096, 5);
    struct touched_memory touched = touched_memory_of(addresses, MANY, 0, &arena);
    expect_near(touched.lines_bytes, 8192 * 64, 1.3, "lines", 8192);
    expect_near(touched.pages_bytes, 8192 * 4096, 1.2, "pages", 8192);
    arena_done(&arena);
}

Test(touched_memory, steps_wider_than_a_line_leave_lines_out)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    walk(addresses, MANY, 64 << 20, 7);
    struct touched_memory touched = touched_memory_of(addresses, MANY, 256, &arena);
    expect_near(touched.lines_bytes, 16 << 20, 1.2, "a line in four", 256);
    expect_near(touched.pages_bytes, 64 << 20, 1.2, "pages", 256);
    arena_done(&arena);
}

/* Two arrays far apart are both counted, one array that two instructions go over is counted once. */
Test(touched_memory, several_together)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    struct touched_memory parts[3];
    walk(addresses, MANY, 8 << 20, 1);
    parts[0] = touched_memory_of(addresses, MANY, 8, &arena);
    walk(addresses, MANY, 8 << 20, 2);
    parts[1] = touched_memory_of(addresses, MANY, 8, &arena);
    walk(addresses, MANY, 8 << 20, 3);
    for (size_t at = 0; at < MANY; at++)
        addresses[at].addr += 1ull << 32;
    parts[2] = touched_memory_of(addresses, MANY, 8, &arena);
    expect_near(touched_memory_joined(parts, 2, &arena).lines_bytes, 8 << 20, 1.1, "one array", 2);
    expect_near(touched_memory_joined(parts, 3, &arena).lines_bytes, 16 << 20, 1.1, "two arrays", 3);
    cr_expect(!touched_memory_joined(parts, 0, &arena).known);
    arena_done(&arena);
}

/* A file read once from end to end is no set that a cache could hold; a walk that comes back is. */
Test(touched_memory, once_or_again)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    walk(addresses, MANY, 1ull << 40, 1);
    cr_expect(touched_memory_of(addresses, MANY, 8, &arena).goes_once);
    walk(addresses, MANY, 256 << 20, 1);
    cr_expect(!touched_memory_of(addresses, MANY, 8, &arena).goes_once);
    arena_done(&arena);
}

/* Half of the accesses go to one line: that one is not what the others are estimated by. */
Test(touched_memory, a_root_that_every_search_passes)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 4 << 20 >> 6, 64, 9);
    for (size_t at = 0; at < MANY; at += 2)
        addresses[at].addr = BASE + (2 << 20);
    struct touched_memory touched = touched_memory_of(addresses, MANY, 0, &arena);
    expect_near(touched.lines_bytes, 4 << 20, 2, "beside a root", 4 << 20);
    arena_done(&arena);
}

/* A search by halves: each step is as likely as any other, and as many places take part in it again as in the one before. */
Test(touched_memory, what_a_search_meets_often_does_not_speak_for_the_rest)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    for (uint64_t lines_bits = 13; lines_bits <= 20; lines_bits++) {
        uint64_t state = 88172645463325252u, all = UINT64_C(64) << lines_bits;
        for (size_t at = 0; at < MANY; at++) {
            uint64_t step = random_u64(&state) % (lines_bits + 4), of = UINT64_C(1) << (step < lines_bits ? step : lines_bits);
            addresses[at] = (struct timed_address){.time_ns = at * 250000, .addr = BASE + (2 * (random_u64(&state) % of) + 1) * (all / 2 / of)};
        }
        struct touched_memory touched = touched_memory_of(addresses, MANY, 0, &arena);
        cr_expect_leq(touched.lines_least_bytes, (double)all);
        cr_expect(!touched.lines_bytes.known || touched.lines_bytes.high >= 0.9 * (double)all, "%g of %llu at most", touched.lines_bytes.high, (unsigned long long)all);
    }
    arena_done(&arena);
}

/* The first line of each element of 256 bytes, in no order: a quarter of the lines, though no line is met twice. */
Test(touched_memory, elements_wider_than_a_line_are_met_in_one_line_each)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 1 << 18, 256, 9);
    struct touched_memory touched = touched_memory_of(addresses, MANY, 0, &arena);
    cr_expect_leq(touched.lines_most_bytes, 1.1 * (16 << 20), "%g", touched.lines_most_bytes);
    arena_done(&arena);
}

/* One thread's two timers: what comes within a sample of another stands at the same place, which says nothing of how many there are. */
Test(touched_memory, two_samples_of_one_moment_are_one)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 1 << 20, 64, 9);
    for (size_t at = 1; at < MANY; at += 8) {
        addresses[at].time_ns = addresses[at - 1].time_ns + 30000;
        addresses[at].addr = addresses[at - 1].addr;
    }
    struct touched_memory touched = touched_memory_of(addresses, MANY, 0, &arena);
    cr_expect(!touched.lines_bytes.known || touched.lines_bytes.mid > 32 << 20, "%g", touched.lines_bytes.mid);
    arena_done(&arena);
}

/* Two threads are sampled by timers of their own, which may be due at the same moments. */
Test(touched_memory, threads_are_met_at_the_same_moments)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 65536, 64, 9);
    struct touched_memory apart = touched_memory_of(addresses, MANY, 0, &arena);
    for (size_t at = 1; at < MANY; at += 2) {
        addresses[at].time_ns = addresses[at - 1].time_ns + 500;
        addresses[at].thread = 1;
    }
    struct touched_memory together = touched_memory_of(addresses, MANY, 0, &arena);
    cr_expect_float_eq(together.lines_bytes.low, apart.lines_bytes.low, 1, "none is lost: %g, %g", together.lines_bytes.low, apart.lines_bytes.low);
    for (size_t at = 1; at < MANY; at += 2)
        addresses[at].thread = 0;
    struct touched_memory again = touched_memory_of(addresses, MANY, 0, &arena);
    cr_expect_lt(again.lines_bytes.low, together.lines_bytes.low, "one thread's two at a moment are one");
    arena_done(&arena);
}

/* All at one moment: nothing tells them apart in time, and still each line that was met is there. */
Test(touched_memory, what_was_met_is_the_least_there_is)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < 40; at++)
        addresses[at] = (struct timed_address){.time_ns = 5, .addr = BASE + at % 20 * 640};
    struct touched_memory touched = touched_memory_of(addresses, 40, 0, &arena);
    cr_expect(touched.known);
    cr_expect_geq(touched.lines_least_bytes, 20 * 64, "%g", touched.lines_least_bytes);
    struct touched_memory joined = touched_memory_joined(&touched, 1, &arena);
    cr_expect_geq(joined.lines_least_bytes, 20 * 64, "%g", joined.lines_least_bytes);
    arena_done(&arena);
}

Test(touched_memory, too_few_say_nothing)
{
    struct timed_address addresses[MANY];
    struct arena arena;
    arena_init(&arena);
    draw(addresses, MANY, 100, 64, 1);
    cr_expect(!touched_memory_of(addresses, WORKING_SET_ADDRESSES_LEAST - 1, 0, &arena).known);
    cr_expect(!touched_memory_of(addresses, 0, 0, &arena).known);
    arena_done(&arena);
}

/* Drawn from a window of 64 KiB that moves on by so many bytes from one sample of its thread to the next. */
static void window_move(struct timed_address *addresses, size_t count, unsigned threads, uint64_t by_bytes)
{
    uint64_t state = 88172645463325252u;
    for (size_t at = 0; at < count; at++)
        addresses[at] = (struct timed_address){.time_ns = at * 250000, .thread = (uint32_t)(at % threads),
                                               .addr = BASE + at % threads * (UINT64_C(1) << 30) + at / threads * by_bytes + random_u64(&state) % 1024 * 64};
}

Test(touched_memory, a_window_that_moves_is_what_is_in_use_at_a_time)
{
    struct timed_address addresses[MANY];
    window_move(addresses, MANY, 1, 2048); /* over 8 MiB, by 8 KiB a millisecond */
    struct measured one = touched_while_of(addresses, MANY);
    cr_expect(one.known && one.value >= 64 << 10 && one.value <= 256 << 10, "%g", one.known ? one.value : -1);
    window_move(addresses, MANY, 2, 4096); /* of each thread its own, at the same speed */
    struct measured two = touched_while_of(addresses, MANY);
    cr_expect(two.known && two.value >= 64 << 10 && two.value <= 512 << 10, "%g", two.known ? two.value : -1);
}

Test(touched_memory, what_does_not_move_or_moves_fast_is_all_in_use)
{
    struct timed_address addresses[MANY];
    draw(addresses, MANY, (8 << 20) / 64, 64, 1);
    cr_expect(!touched_while_of(addresses, MANY).known, "anywhere at any time");
    walk(addresses, MANY, 512 << 20, 1);
    cr_expect(!touched_while_of(addresses, MANY).known, "comes round between samples");
    window_move(addresses, MANY, 1, 1 << 20);
    cr_expect(!touched_while_of(addresses, MANY).known, "its lines come from memory most of the time");
    window_move(addresses, MANY, 1, 2048);
    cr_expect(!touched_while_of(addresses, 100).known, "too few");
}

/* One way after the other over so many bytes, met anywhere on it; each quarter of the time at another place (a list that grew). */
static void walk_moved(struct timed_address *addresses, size_t count, uint64_t over_bytes)
{
    uint64_t state = 88172645463325252u;
    for (size_t at = 0; at < count; at++)
        addresses[at] = (struct timed_address){
            .time_ns = at * 330000, .addr = BASE + at * 4 / count * (UINT64_C(1) << 21) + random_u64(&state) % (over_bytes / 16) * 16};
}

Test(touched_memory, a_walk_that_moved_elsewhere_is_no_longer_than_it_was_at_a_time)
{
    struct timed_address addresses[MANY];
    bool comes_back = false;
    walk_moved(addresses, MANY, 900 << 10);
    struct measured used = walked_while_of(addresses, MANY, 1, &comes_back);
    cr_expect(used.known && comes_back);
    cr_expect(used.value > 850 << 10 && used.value < 1000 << 10, "%g", used.value);
    struct measured fewer = walked_while_of(addresses, 200, 1, &comes_back);
    cr_expect_not(fewer.known);
}

/* 64 MiB can't have been passed twice in 11 ms: but so much it is. */
Test(touched_memory, a_long_walk_may_pass_each_line_once)
{
    struct timed_address addresses[MANY];
    bool comes_back = true;
    walk_moved(addresses, MANY, 64 << 20);
    struct measured used = walked_while_of(addresses, MANY, 1, &comes_back);
    cr_expect(used.known && used.value > 56 << 20, "%g", used.known ? used.value : -1);
    cr_expect_not(comes_back);
}
