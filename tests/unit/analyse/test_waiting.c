/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/time/waiting.h"
#include "base/vec.h"

static void add_switch(struct recording *recording, uint64_t time_ns, uint32_t thread, bool out, bool preempted)
{
    recording->switches = vec_reserve_bytes(recording->switches, &recording->switch_capacity,
                                            recording->switch_count + 1, sizeof(*recording->switches));
    recording->switches[recording->switch_count++] =
        (struct context_switch){.time_ns = time_ns, .thread = thread, .out = out, .preempted = preempted};
}

Test(waiting, adds_up_what_each_thread_did)
{
    struct recording recording;
    recording_init(&recording);
    struct arena arena;
    arena_init(&arena);
    uint32_t worker = threads_get(&recording.threads, 10, 10), other = threads_get(&recording.threads, 10, 11);
    add_switch(&recording, 1000, worker, true, false);  /* waits 4000 */
    add_switch(&recording, 2000, other, true, true);    /* runnable 1000 */
    add_switch(&recording, 3000, other, false, false);  /* runs 7000 */
    add_switch(&recording, 5000, worker, false, false); /* runs 1000 */
    add_switch(&recording, 6000, worker, true, false);  /* waits to the end: 4000 */
    add_switch(&recording, 10000, other, true, false);  /* waits 0 */
    struct waiting waiting;
    waiting_analyse(&recording, NULL, &waiting, &arena);
    cr_assert(waiting.known && waiting.thread_count == 2);
    cr_assert_eq(waiting.waiting_ns, 8000);
    cr_assert_eq(waiting.runnable_ns, 1000);
    cr_assert_eq(waiting.running_ns, 8000);
    cr_assert_eq(waiting.unattributed_ns, 8000, "no stacks were recorded");
    cr_assert_eq(waiting.span_ns, 9000);
    cr_assert_eq(waiting.site_count, 1);
    arena_done(&arena);
    recording_done(&recording);
}

/* plumb on the machine that it watches: its own looks now and then neither wait nor run. */
Test(waiting, whoever_watches_is_left_out)
{
    struct recording recording;
    recording_init(&recording);
    struct arena arena;
    arena_init(&arena);
    uint32_t worker = threads_get(&recording.threads, 10, 10), watcher = threads_get(&recording.threads, 20, 20);
    recording.watcher_pid = 20;
    add_switch(&recording, 1000, worker, true, false);
    add_switch(&recording, 2000, watcher, false, false);
    add_switch(&recording, 2500, watcher, true, false);
    add_switch(&recording, 4000, watcher, false, false);
    add_switch(&recording, 5000, worker, false, false);
    struct waiting waiting;
    waiting_analyse(&recording, NULL, &waiting, &arena);
    cr_assert_eq(waiting.thread_count, 1);
    cr_assert_eq(waiting.wait_count, 1);
    cr_assert_eq(waiting.waiting_ns, 4000);
    cr_assert_eq(waiting.idle_ns, 4000);
    arena_done(&arena);
    recording_done(&recording);
}

/* A pool that sleeps all the time doesn't hide what the only thread that works waits for. */
Test(waiting, idle_time_belongs_to_the_wait_that_ended_it)
{
    struct recording recording;
    recording_init(&recording);
    struct arena arena;
    arena_init(&arena);
    uint32_t worker = threads_get(&recording.threads, 10, 10), pool = threads_get(&recording.threads, 10, 11),
             last = threads_get(&recording.threads, 10, 12);
    recording.threads.items[last].ended_ns = 9000;
    add_switch(&recording, 1000, pool, false, false);
    add_switch(&recording, 1500, pool, true, false);    /* sleeps to the end */
    add_switch(&recording, 2000, worker, false, false); /* seen for the first time: nobody knows what it waited for */
    add_switch(&recording, 3000, worker, true, false);
    add_switch(&recording, 5000, worker, false, false); /* 2000 idle, ended by its wait */
    add_switch(&recording, 6000, worker, true, true);   /* taken off: it waits for no one */
    add_switch(&recording, 7000, worker, false, false);
    add_switch(&recording, 8000, last, false, false);
    add_switch(&recording, 8500, worker, true, false);
    add_switch(&recording, 9500, worker, false, false); /* idle since the other's end at 9000 */
    struct waiting waiting;
    waiting_analyse(&recording, NULL, &waiting, &arena);
    cr_assert_eq(waiting.idle_ns, 2500, "%llu", (unsigned long long)waiting.idle_ns);
    cr_assert_eq(waiting.site_count, 1);
    cr_assert_eq(waiting.sites[0].idle_ns, 2500);
    arena_done(&arena);
    recording_done(&recording);
}

/* Python's threads: one holds the lock and is taken off its CPU; another's wait ends meanwhile, but that wasn't idle time. */
Test(waiting, while_one_is_ready_nothing_is_idle)
{
    struct recording recording;
    recording_init(&recording);
    struct arena arena;
    arena_init(&arena);
    uint32_t holder = threads_get(&recording.threads, 10, 10), other = threads_get(&recording.threads, 10, 11);
    add_switch(&recording, 1000, holder, false, false);
    add_switch(&recording, 1200, other, false, false);
    add_switch(&recording, 1500, other, true, false);
    add_switch(&recording, 2000, holder, true, true);   /* taken off: 6000 ns ready */
    add_switch(&recording, 5000, other, false, false);  /* its wait ends */
    add_switch(&recording, 6000, other, true, false);
    add_switch(&recording, 8000, holder, false, false);
    add_switch(&recording, 9000, holder, true, false);
    add_switch(&recording, 9400, other, false, false);  /* 400 idle */
    struct waiting waiting;
    waiting_analyse(&recording, NULL, &waiting, &arena);
    cr_assert_eq(waiting.idle_ns, 400, "%llu", (unsigned long long)waiting.idle_ns);
    arena_done(&arena);
    recording_done(&recording);
}

Test(waiting, says_when_nothing_was_recorded)
{
    struct recording recording;
    recording_init(&recording);
    struct arena arena;
    arena_init(&arena);
    struct waiting waiting;
    waiting_analyse(&recording, NULL, &waiting, &arena);
    cr_assert_not(waiting.known);
    arena_done(&arena);
    recording_done(&recording);
}

Test(waiting, functions_tell_what_is_waited_for)
{
    cr_assert_eq(wait_kind_of_function("futex_wait_queue"), WAIT_FUTEX);
    cr_assert_eq(wait_kind_of_function("__lll_lock_wait"), WAIT_LOCK);
    cr_assert_eq(wait_kind_of_function("__futex_abstimed_wait_common64"), WAIT_THREAD);
    cr_assert_eq(wait_kind_of_function("__pthread_clockjoin_ex"), WAIT_THREAD);
    cr_assert_eq(wait_kind_of_function("pthread_cond_wait@@GLIBC_2.3.2"), WAIT_THREAD);
    cr_assert_eq(wait_kind_of_function("io_schedule"), WAIT_DISK);
    cr_assert_eq(wait_kind_of_function("schedule"), WAIT_UNKNOWN);
    cr_assert_eq(wait_kind_of_function("do_wait"), WAIT_CHILD);
    cr_assert_eq(wait_kind_of_function("do_wait_intr_irq"), WAIT_UNKNOWN, "any event");
    cr_assert_eq(wait_kind_of_function("kernel_clone"), WAIT_CHILD, "vfork");
    cr_assert_str_eq(wait_kind_name(WAIT_EVENTS), "events");
}
