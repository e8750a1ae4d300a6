/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long did it run: which source of CPU time counts when several say something, and how far runs differ. */
#include "test.h"

#include "analyse/time/loading.h"
#include "analyse/time/program_shares.h"
#include "analyse/time/run_spread.h"
#include "analyse/time/run_time.h"
#include "analyse/time/time_shares.h"
#include "analyse/time/stolen.h"
#include "base/scope.h"
#include "base/vec.h"

static struct run_time_request attached(double elapsed_s)
{
    return (struct run_time_request){
        .scope = RUN_ATTACHED,
        .elapsed_s = measured_as(elapsed_s),
        .user_s = not_measured("not started"),
        .system_s = not_measured("not started"),
        .task_clock_s = not_measured("not counted"),
    };
}

Test(run_time, threads_that_ended_between_looks_are_in_task_clock)
{
    struct activity activity = {
        .user_s = measured_as(0.05), .system_s = measured_as(0.01), .run_delay_s = not_measured("no")};
    struct run_time_request request = attached(4);
    request.activity = &activity;
    struct run_time seen = run_time_of(&request);
    cr_expect_float_eq(seen.cpu_s.value, 0.06, 1e-9);
    cr_expect(seen.user_s.known);
    request.task_clock_s = measured_as(0.9);
    struct run_time counted = run_time_of(&request);
    cr_expect_float_eq(counted.cpu_s.value, 0.9, 1e-9);
    cr_expect_not(counted.user_s.known, "0.05 s of user time would be a lie");
    cr_expect_float_eq(counted.cpus_used.value, 0.225, 1e-9);
}

Test(run_time, a_started_program_is_told_by_its_parent_and_daemons_by_task_clock)
{
    struct run_time_request request = attached(2);
    request.scope = RUN_STARTED;
    request.user_s = measured_as(0.5);
    request.system_s = measured_as(0.25);
    request.task_clock_s = measured_as(0.74);
    cr_expect_float_eq(run_time_of(&request).cpu_s.value, 0.75, 1e-9);
    request.task_clock_s = measured_as(1.5);
    cr_expect_float_eq(run_time_of(&request).cpu_s.value, 1.5, 1e-9);
}

Test(run_time, switches_alone_tell_cpu_time)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {
        {.time_ns = 1000000000, .thread = 0, .cpu = 0, .out = false},
        {.time_ns = 1500000000, .thread = 0, .cpu = 0, .out = true},
        {.time_ns = 1600000000, .thread = 1, .cpu = 1, .out = false},
        {.time_ns = 1900000000, .thread = 1, .cpu = 1, .out = true},
    };
    threads_get(&recording.threads, 10, 10);
    threads_get(&recording.threads, 10, 11);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.recording = &recording;
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.cpu_s.value, 0.8, 1e-6, "%g", run.cpu_s.value);
    cr_expect_float_eq(run.on_cpu_ratio.value, 0.8, 1e-6);
    recording.switches = NULL;
    recording.switch_count = 0;
    recording_done(&recording);
}

Test(run_time, of_cpus_elapsed_covers_what_was_recorded_on_them)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {
        {.time_ns = 1000000000, .thread = 0, .cpu = 0, .out = false}, {.time_ns = 1000000000, .thread = 1, .cpu = 1, .out = false},
        {.time_ns = 2200000000, .thread = 0, .cpu = 0, .out = true},  {.time_ns = 2200000000, .thread = 1, .cpu = 1, .out = true},
    };
    threads_get(&recording.threads, 10, 10);
    threads_get(&recording.threads, 10, 11);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.scope = RUN_MACHINE;
    request.recording = &recording;
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.elapsed_s.value, 1.2, 1e-6);
    cr_expect_float_eq(run.cpu_s.value, 2.4, 1e-6, "two CPUs have no more: %g", run.cpu_s.value);
    request.scope = RUN_ATTACHED;
    cr_expect_float_eq(run_time_of(&request).elapsed_s.value, 1, 1e-6);
    recording.switches = NULL;
    recording.switch_count = 0;
    recording_done(&recording);
}

Test(program_shares, are_by_thread_name_and_the_idle_thread_has_none)
{
    struct recording recording;
    recording_init(&recording);
    scoped(arena_done) struct arena arena;
    arena_init(&arena);
    cr_assert_eq(program_shares_of(&recording, &arena).count, 0);
    uint32_t cc1 = strings_intern(&recording.strings, "cc1"), as = strings_intern(&recording.strings, "as");
    uint32_t first = threads_get(&recording.threads, 10, 10), second = threads_get(&recording.threads, 11, 11),
             third = threads_get(&recording.threads, 12, 12), idle = threads_get(&recording.threads, 0, 0);
    struct recorded_event event = {.name = "cpu-clock", .counts_ns = true};
    struct sample samples[] = {
        {.thread = first, .comm = cc1, .period = 10}, {.thread = first, .comm = cc1, .period = 10}, {.thread = second, .comm = cc1, .period = 40},
        {.thread = third, .comm = as, .period = 20},  {.thread = first, .comm = as, .period = 0},   {.thread = idle, .comm = as, .period = 500},
    };
    recording.events = &event;
    recording.event_count = 1;
    recording.samples.items = samples;
    recording.samples.count = array_count(samples);
    struct program_shares shares = program_shares_of(&recording, &arena);
    recording.events = NULL;
    recording.samples.items = NULL;
    recording.event_count = recording.samples.count = 0;
    cr_assert_eq(shares.count, 2);
    cr_assert_str_eq(shares.items[0].name, "cc1");
    cr_expect_float_eq(shares.items[0].share, 0.75, 1e-9);
    cr_expect_eq(shares.items[0].processes, 2);
    cr_expect_float_eq(shares.items[1].share, 0.25, 1e-9);
    cr_expect_eq(shares.items[1].processes, 2);
    recording_done(&recording);
}

/* By the innermost user code: what the kernel does for the loader counts as loading, what it does for others doesn't. */
Test(loading, is_by_the_innermost_user_code)
{
    struct recording recording;
    recording_init(&recording);
    struct dso dsos[] = {
        {.kind = DSO_FILE, .name = strings_intern(&recording.strings, "ld-linux-x86-64.so.2")},
        {.kind = DSO_FILE, .name = strings_intern(&recording.strings, "tool")},
        {.kind = DSO_KERNEL, .name = strings_intern(&recording.strings, "[kernel.kallsyms]")},
    };
    struct location locations[] = {{.dso = 0, .cpu_mode = CPU_MODE_USER}, {.dso = 1, .cpu_mode = CPU_MODE_USER}, {.dso = 2, .cpu_mode = CPU_MODE_KERNEL}};
    uint32_t frames[] = {2, 0, 2, 1, 0}; /* a fault of the loader's, one of the tool's below it */
    struct stack stacks[] = {{.first = 0, .count = 2}, {.first = 2, .count = 3}};
    uint32_t thread = threads_get(&recording.threads, 10, 10);
    struct recorded_event event = {.name = "cpu-clock", .counts_ns = true};
    struct sample samples[] = {
        {.thread = thread, .location = 0, .stack = STACK_NONE, .period = 1, .alike = 2}, {.thread = thread, .location = 1, .stack = STACK_NONE, .period = 1},
        {.thread = thread, .location = 2, .stack = 0, .period = 1},                     {.thread = thread, .location = 2, .stack = 1, .period = 1},
        {.thread = thread, .location = 2, .stack = STACK_NONE, .period = 1},
    };
    struct recording made = recording;
    made.events = &event;
    made.event_count = 1;
    made.spaces.dsos = dsos;
    made.spaces.dso_count = array_count(dsos);
    made.samples = (struct samples){.items = samples, .count = array_count(samples), .locations = locations, .location_count = array_count(locations),
                                    .stacks = stacks, .stack_count = array_count(stacks), .frames = frames};
    struct loading loading = loading_of(&made);
    cr_expect_eq(loading.samples, 7);
    cr_expect_eq(loading.loading, 4);
    recording_done(&recording);
}

Test(run_time, lost_switches_give_no_cpu_to_two_at_a_time)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {
        {.time_ns = 1000000000, .thread = 1, .cpu = 0, .out = false}, /* that it left is lost */
        {.time_ns = 1200000000, .thread = 2, .cpu = 0, .out = false},
        {.time_ns = 1500000000, .thread = 2, .cpu = 0, .out = true, .preempted = true},
        {.time_ns = 1600000000, .thread = 3, .cpu = 0, .out = true},  /* that it came is lost */
        {.time_ns = 1700000000, .thread = 1, .cpu = 0, .out = false}, /* again: that it left is lost */
        {.time_ns = 1800000000, .thread = 0, .cpu = 0, .out = false}, /* nobody wants the CPU */
        {.time_ns = 2000000000, .thread = 0, .cpu = 0, .out = true},
    };
    threads_get(&recording.threads, 0, 0);
    for (uint32_t tid = 11; tid <= 13; tid++)
        threads_get(&recording.threads, 10, tid);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.recording = &recording;
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.cpu_s.value, 0.2 + 0.3 + 0.1 + 0.1, 1e-6, "%g", run.cpu_s.value);
    cr_expect_float_eq(run.on_cpu_ratio.value, 0.7, 1e-6, "%g", run.on_cpu_ratio.value);
    recording.switches = NULL;
    recording.switch_count = 0;
    recording_done(&recording);
}

/* schedstat counts from the thread's beginning, elapsed from its exec. */
Test(run_time, one_thread_waits_for_a_cpu_no_longer_than_it_was_there)
{
    struct activity activity = {.run_delay_s = measured_as(0.0204), .thread_count = 1};
    struct run_time_request request = attached(0.0175);
    request.activity = &activity;
    request.task_clock_s = measured_as(0.0025);
    cr_expect_float_eq(run_time_of(&request).run_delay_s.value, 0.015, 1e-9);
    activity.thread_count = 2;
    cr_expect_float_eq(run_time_of(&request).run_delay_s.value, 0.0204, 1e-9);
}

/* The kernel adds a wait when it ends, be it that it began before the attach, or ended after the recording. */
Test(run_time, a_sleeping_thread_beside_it_leaves_no_room_for_more_delay)
{
    struct activity_thread threads[] = {
        {.tid = 1, .run_s = measured_as(1.8), .run_delay_s = measured_as(6.3)},
        {.tid = 2, .run_s = measured_as(0), .run_delay_s = measured_as(0)},
    };
    struct activity activity = {.run_delay_s = measured_as(6.3), .seen_run_s = measured_as(1.8), .threads = threads, .thread_count = 2};
    struct run_time_request request = attached(4);
    request.activity = &activity;
    request.task_clock_s = measured_as(1.8);
    cr_expect_float_eq(run_time_of(&request).run_delay_s.value, 2.2, 1e-9);
    threads[1].run_delay_s = measured_as(1);
    activity.run_delay_s = measured_as(7.3);
    cr_expect_float_eq(run_time_of(&request).run_delay_s.value, 3.2, 1e-9, "another's delay is its own");
}

Test(run_time, nothing_known_is_not_zero)
{
    struct run_time_request request = attached(1);
    struct run_time run = run_time_of(&request);
    cr_expect_not(run.cpu_s.known);
    cr_expect_not(run.on_cpu_ratio.known);
    cr_expect_not_null(run.cpu_s.why_not);
}

Test(run_spread, failures_are_named_and_left_out_of_the_median)
{
    struct run_row rows[] = {{.elapsed_s = 1},    {.elapsed_s = 9, .exit_code = 3}, {.elapsed_s = 2},
                             {.elapsed_s = 3},    {.elapsed_s = 0.1, .exit_code = 130, .interrupted = true},
                             {.elapsed_s = 0.5, .exit_code = 1}};
    struct run_spread spread = {.rows = rows, .count = array_count(rows)}, again;
    run_spread_sum_up(&spread);
    cr_expect_eq(spread.failed, 2);
    cr_expect_eq(spread.first_failed, 1);
    cr_expect_float_eq(spread.median_s.mid, 2, 1e-12);
    cr_expect_float_eq(spread.least_s, 1, 1e-12);
    cr_expect_float_eq(spread.most_s, 3, 1e-12);
    struct text out = {0};
    struct error err = {0};
    struct arena arena;
    struct json_document *document = NULL;
    arena_init(&arena);
    run_spread_write(&spread, &out);
    cr_assert(json_document_parse(&document, text_view(&out), &err));
    cr_assert(run_spread_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_expect_eq(again.count, spread.count);
    cr_expect_eq(again.failed, 2);
    cr_expect_eq(again.rows[1].exit_code, 3);
    cr_expect_float_eq(again.median_s.mid, 2, 1e-12);
    json_document_free(document);
    text_done(&out);
    arena_done(&arena);
}

Test(run_spread, only_failures_have_no_median)
{
    struct run_row rows[] = {{.elapsed_s = 1, .exit_code = 1}};
    struct run_spread spread = {.rows = rows, .count = 1};
    run_spread_sum_up(&spread);
    cr_expect_not(spread.median_s.known);
}

Test(run_time, several_threads_without_switches_leave_waiting_open)
{
    struct activity activity = {.user_s = measured_as(1.2), .system_s = measured_as(0), .threads_at_once = 4,
                                .run_delay_s = not_measured("no")};
    struct run_time_request request = attached(1);
    request.activity = &activity;
    cr_expect_not(run_time_of(&request).on_cpu_ratio.known, "four in step at 30 %% each, or one after the other");
    activity.threads_at_once = 1;
    cr_expect(run_time_of(&request).on_cpu_ratio.known);
}

Test(run_time, a_lost_switch_does_not_make_a_thread_want_for_ever)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {
        {.time_ns = 1000000000, .thread = 0, .out = false},
        {.time_ns = 1100000000, .thread = 0, .out = true, .preempted = true},
        /* its coming back was lost */
        {.time_ns = 1200000000, .thread = 0, .out = true},
        {.time_ns = 1900000000, .thread = 0, .out = false},
        {.time_ns = 2000000000, .thread = 0, .out = true},
    };
    threads_get(&recording.threads, 10, 10);
    threads_get(&recording.threads, 10, 11);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.recording = &recording;
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.wanted_ratio.value, 0.3, 1e-6, "%g", run.wanted_ratio.value);
    recording.switches = NULL;
    recording.switch_count = 0;
    recording_done(&recording);
}

/* A child is ready from its fork to its first switch: nobody waits then, though nobody runs. One that ran before is none of these. */
Test(run_time, a_new_thread_is_ready_until_it_first_runs)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {
        {.time_ns = 1000000000, .thread = 0, .out = false}, {.time_ns = 1100000000, .thread = 0, .out = true},
        {.time_ns = 1500000000, .thread = 1, .out = false}, {.time_ns = 1600000000, .thread = 1, .out = true},
        {.time_ns = 2000000000, .thread = 0, .out = false},
    };
    threads_get(&recording.threads, 10, 10);
    threads_begin(&recording.threads, 11, 11, 1050000000);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.recording = &recording;
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.on_cpu_ratio.value, 0.2, 1e-6, "%g", run.on_cpu_ratio.value);
    cr_expect_float_eq(run.wanted_ratio.value, 0.6, 1e-6, "%g", run.wanted_ratio.value);
    cr_expect_float_eq(run.preempted_s.value, 0, 1e-9);
    recording.threads.items[1].started_ns = 0; /* it was there before */
    cr_expect_float_eq(run_time_of(&request).wanted_ratio.value, 0.2, 1e-6);
    recording.switches = NULL;
    recording.switch_count = 0;
    recording_done(&recording);
}

/* Two threads with a CPU each: one switched once, the other never; both have samples. The idle task has, too. */
Test(run_time, threads_that_never_switch_count_by_their_samples)
{
    struct recording recording;
    recording_init(&recording);
    struct context_switch switches[] = {{.time_ns = 1000000000, .thread = 0, .cpu = 0, .out = true, .preempted = true}};
    threads_get(&recording.threads, 10, 10);
    threads_get(&recording.threads, 10, 11);
    threads_get(&recording.threads, 0, 0);
    struct sample samples[] = {{.time_ns = 900000000, .thread = 1}, {.time_ns = 950000000, .thread = 2}};
    recording.samples.items = samples;
    recording.samples.count = array_count(samples);
    recording.switches = switches;
    recording.switch_count = array_count(switches);
    struct run_time_request request = attached(1);
    request.recording = &recording;
    cr_expect_eq(run_time_of(&request).threads_seen, 2, "%u", run_time_of(&request).threads_seen);
    recording.switches = NULL;
    recording.samples.items = NULL;
    recording.switch_count = recording.samples.count = 0;
    recording_done(&recording);
}

Test(stolen, a_cpus_stolen_time_is_whose_it_is)
{
    struct recording recording;
    recording_init(&recording);
    threads_get(&recording.threads, 10, 10);
    struct sample samples[100];
    memset(samples, 0, sizeof(samples));
    recording.samples.items = samples;
    recording.samples.count = array_count(samples);
    struct activity_cpu cpus[] = {{.cpu = 2, .busy_s = 5, .steal_s = 5}, {.cpu = 3, .busy_s = 60, .steal_s = 0}};
    struct activity activity = {.cpus = cpus, .cpu_count = 2};
    for (size_t at = 0; at < array_count(samples); at++)
        samples[at].cpu = 2;
    struct stolen alone = stolen_of(&recording, &activity, measured_as(5));
    cr_expect_float_eq(alone.ratio.low, 0.5, 1e-9, "it had the CPU to itself: %g", alone.ratio.low);
    cr_expect_float_eq(alone.ratio.high, 0.5, 1e-9);
    struct stolen beside = stolen_of(&recording, &activity, measured_as(1)); /* others ran there four times as long */
    cr_expect_float_eq(beside.ratio.mid, 0.5, 1e-9, "the host takes without looking: %g", beside.ratio.mid);
    cr_expect(beside.ratio.low < 0.45 && beside.ratio.high > 0.55, "%g %g", beside.ratio.low, beside.ratio.high);
    for (size_t at = 0; at < array_count(samples); at++)
        samples[at].cpu = 3;
    cr_expect_float_eq(stolen_of(&recording, &activity, measured_as(5)).ratio.high, 0, 1e-9);
    samples[0].cpu = 7; /* came online since: left out */
    cr_expect(stolen_of(&recording, &activity, measured_as(5)).ratio.known);
    cr_expect_not(stolen_of(&recording, NULL, measured_as(5)).ratio.known);
    cr_expect_not(stolen_of(NULL, &activity, measured_as(5)).ratio.known);
    recording.samples.items = NULL;
    recording.samples.count = 0;
    recording_done(&recording);
}

/* Others of the program ran for a moment in all: nearly all of one thread's delay is a delay of the whole. */
Test(run_time, one_thread_s_delay_is_everybody_s_but_for_what_the_others_ran)
{
    struct activity_thread threads[] = {
        {.tid = 2, .run_s = measured_as(1.9), .run_delay_s = measured_as(18)},
        {.tid = 1, .run_s = measured_as(0.01), .run_delay_s = measured_as(0.1)},
    };
    struct activity activity = {.run_delay_s = measured_as(18.1), .seen_run_s = measured_as(1.91), .threads = threads, .thread_count = 2,
                                .threads_at_once = 1, .ready_ratio = measured_as(0.4), .look_count = 64};
    struct run_time_request request = attached(25);
    request.activity = &activity;
    request.user_s = measured_as(2);
    request.system_s = measured_as(0);
    struct run_time run = run_time_of(&request);
    cr_expect_float_eq(run.ready_least_s.value, 17.9, 1e-9, "%g", run.ready_least_s.value);
    run.from_switches = true; /* most of it came after it was woken: no switch tells that it was ready then */
    run.on_cpu_ratio = run.wanted_ratio = measured_as(0.08);
    run.preempted_s = measured_as(0);
    run.run_delay_is_least = true;
    run.threads_seen = 3;
    struct time_shares shares = time_shares_of(&run, &activity, NULL);
    cr_expect(shares.ready.low >= 17.9 / 25 - 1e-9, "%g", shares.ready.low);
    cr_expect(shares.waiting.high <= 1 - 0.08 - 17.9 / 25 + 1e-9, "%g", shares.waiting.high);
    threads[0].run_s = not_measured("an older case"); /* then by ticks, which are cut */
    threads[0].user_s = 1.9;
    cr_expect_float_eq(run_time_of(&request).ready_least_s.value, 17.88, 1e-9);
    threads[0].run_delay_s = not_measured("no");
    cr_expect_float_eq(run_time_of(&request).ready_least_s.value, 0, 1e-9);
}

/* What a probe of ours held it for is none of its waiting, and each part of the time is told once. */
Test(run_time, what_a_probe_held_is_no_waiting)
{
    struct run_time run = {.elapsed_s = measured_as(6), .cpu_s = measured_as(1.9), .on_cpu_ratio = measured_as(0.32), .wanted_ratio = measured_as(0.77),
                           .run_delay_s = measured_as(2.7), .preempted_s = measured_as(2.7), .from_switches = true, .threads_seen = 1, .held_s = 1.43};
    struct wait_rows waits = {.known = true, .idle_s = 1.4, .waiting_s = 1.4, .wait_count = 7, .stack_count = 7, .count = 2,
                              .items = {{.kind = WAIT_TRACED, .function = "main", .idle_s = 1.35, .total_s = 1.35, .count = 6},
                                        {.kind = WAIT_SLEEP, .function = "rest", .idle_s = 0.05, .total_s = 0.05, .count = 1}}};
    struct time_shares blind = time_shares_of(&run, NULL, &waits);
    cr_expect_float_eq(blind.held.mid, 0.23, 1e-6, "alone, and no kernel names: all of its waiting at most: %g", blind.held.mid);
    wait_rows_take_held(&waits);
    cr_assert(waits.count == 1 && waits.wait_count == 1 && waits.items[0].kind == WAIT_SLEEP);
    cr_expect_float_eq(waits.idle_s, 0.05, 1e-9);
    struct time_shares shares = time_shares_of(&run, NULL, &waits);
    cr_expect_float_eq(shares.held.low, 1.35 / 6, 1e-6, "%g", shares.held.low);
    cr_expect_float_eq(shares.waiting.mid, 0.23 - 1.35 / 6, 1e-6, "%g", shares.waiting.mid);
    cr_expect_float_eq(shares.running.mid + shares.ready.mid + shares.throttled.mid + shares.held.mid + shares.waiting.mid, 1, 1e-9);
    waits.held_known = false;
    run.threads_seen = 4; /* another may have run while one was held */
    shares = time_shares_of(&run, NULL, &waits);
    cr_expect(shares.held.low == 0 && shares.held.high > 0);
    run.held_s = 0;
    shares = time_shares_of(&run, NULL, &waits);
    cr_expect(shares.held.high == 0);
}
