/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exits, ticks and pages behind a guest, on results made up for the purpose: every verdict of the three. */
#include "test.h"

#include "base/json/json_reader.h"
#include "finding/hypothesis.h"
#include "statistics/guest_costs_read.h"

#include <string.h>

struct made_up {
    struct arena arena;
    struct run_time run;
    struct activity activity;
    struct activity_cpu cpu;
    struct stalls stalls;
    struct stall_function function;
    struct stall_row row;
    struct stall_group group;
    struct surroundings machine;
    struct guest_costs guest;
    struct results results;
    struct findings findings;
};

static void cost_set(struct made_up *made, enum guest_cost cost, double ns)
{
    made->guest.costs[cost] = (struct guest_value){.value = interval_of(ns * 0.9, ns, ns * 1.1)};
}

/* One thread that computes for 10 s in a guest; ticks of 5 us, 250 a second; exits of 0.8 us; nothing known of the host's pages. */
static void make_up(struct made_up *made)
{
    *made = (struct made_up){0};
    arena_init(&made->arena);
    made->run = (struct run_time){.scope = RUN_STARTED, .elapsed_s = measured_as(10), .cpu_s = measured_as(10), .user_s = measured_as(10),
                                  .system_s = measured_as(0), .on_cpu_ratio = measured_as(1), .wanted_ratio = measured_as(1),
                                  .run_delay_s = measured_as(0), .preempted_s = measured_as(0), .cpus_used = measured_as(1), .threads_seen = 1};
    made->cpu = (struct activity_cpu){.cpu = 0, .busy_s = 10, .timer_per_s = 3300, .others_per_s = 20};
    made->activity = (struct activity){.elapsed_s = measured_as(10), .minor_faults = measured_as(200), .major_faults = measured_as(0),
                                       .voluntary_switches = measured_as(3), .huge_faults = measured_as(0), .cpus = &made->cpu, .cpu_count = 1,
                                       .cpus_online = measured_as(2), .cpus_allowed = measured_as(2)};
    made->row = (struct stall_row){.text = "add %rax,%rdx", .samples = 1000};
    made->function = (struct stall_function){.name = "hot", .dso = "a.out", .dso_path = "/a.out", .samples = 1000, .attributed = 1000, .has_code = true,
                                             .rows = &made->row, .row_count = 1, .share = wilson_interval(1000, 1000, 1000)};
    made->stalls = (struct stalls){.sample_count = 1000, .user_samples = 1000, .attributed = true, .attributed_samples = 1000, .cpu_s = 10,
                                   .functions = &made->function, .function_count = 1};
    made->machine = (struct surroundings){.cpu = "a CPU", .microarchitecture = "", .kernel = "", .hypervisor = "KVM", .confidential = "",
                                          .thp_enabled = "", .thp_defrag = "", .thp_shmem = "", .governor = "", .frequency_driver = "", .is_guest = true};
    made->guest.kernel_hz.value = interval_exactly(250);
    made->guest.cpu_count = 1;
    made->guest.cpus[0] = (struct guest_cpu){.span_s = 0.1, .timer_per_s = 250, .interrupts_per_s = 260, .gaps_per_s = 1300, .lost_ratio = 0.006};
    cost_set(made, GUEST_COST_CPUID, 800);
    cost_set(made, GUEST_COST_CLOCK, 9);
    cost_set(made, GUEST_COST_TOUCH_USED, 700);
    cost_set(made, GUEST_COST_TOUCH_OLD, 750);
    cost_set(made, GUEST_COST_WAKE_IDLE, 8000);
    cost_set(made, GUEST_COST_IPI, 1800);
    cost_set(made, GUEST_COST_TICK, 5000);
    cost_set(made, GUEST_COST_INTERRUPTION, 5000);
    made->guest.backing.why_not = "no huge page could be had";
    made->results = (struct results){.run = &made->run, .activity = &made->activity, .stalls = &made->stalls, .surroundings = &made->machine,
                                     .guest = &made->guest, .effect = 0.05, .command = "./a.out"};
}

static const struct finding *test_and_find(struct made_up *made, const char *id)
{
    findings_test(&made->findings, &made->results, &made->arena);
    for (size_t at = 0; at < made->findings.count; at++)
        if (strcmp(made->findings.items[at].hypothesis->id, id) == 0)
            return &made->findings.items[at];
    cr_assert_fail("no finding '%s'", id);
    return NULL;
}

Test(vm_exits, a_computing_program_is_bounded_from_inside)
{
    struct made_up made;
    make_up(&made);
    const struct finding *finding = test_and_find(&made, "vm-exits");
    cr_assert_eq(finding->verdict, VERDICT_RULED_OUT);
    cr_expect(finding->recoverable.high > 0.006 && finding->recoverable.high < 0.02, "%g", finding->recoverable.high);
    cr_expect(strstr(finding->reason, "at most"), "%s", finding->reason);
    arena_done(&made.arena);
}

/* The loader's CPUID is nothing that a program could keep the answer of: fewer starts are. */
Test(vm_exits, what_the_loader_asks_is_told_as_its_own)
{
    struct made_up made;
    make_up(&made);
    made.row.text = "cpuid";
    made.function.dso = "ld-linux-x86-64.so.2";
    const struct finding *finding = test_and_find(&made, "vm-exits");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect(strstr(finding->headline, "the dynamic loader"), "%s", finding->headline);
    cr_expect(strstr(finding->advice[0], "start fewer programs") && strstr(finding->confirm, "one process"));
    arena_done(&made.arena);
}

Test(vm_exits, instructions_that_leave_are_the_cause)
{
    static const struct {
        const char *text;
        double clock_ns;
        enum verdict verdict;
    } cases[] = {
        {"cpuid", 9, VERDICT_SUPPORTED}, {"in (%dx),%al", 9, VERDICT_SUPPORTED}, {"outb %al,(%dx)", 9, VERDICT_SUPPORTED},
        {"rdtsc", 9, VERDICT_RULED_OUT}, {"rdtsc", 900, VERDICT_SUPPORTED}, {"rdtscp", 900, VERDICT_SUPPORTED},
        {"inc %rax", 9, VERDICT_RULED_OUT}, {"insertps $0x10,%xmm1,%xmm0", 9, VERDICT_RULED_OUT},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct made_up made;
        make_up(&made);
        made.row.text = cases[at].text;
        cost_set(&made, GUEST_COST_CLOCK, cases[at].clock_ns);
        const struct finding *finding = test_and_find(&made, "vm-exits");
        cr_expect_eq(finding->verdict, cases[at].verdict, "%s: %s", cases[at].text, verdict_name(finding->verdict));
        if (finding->verdict == VERDICT_SUPPORTED)
            cr_expect(finding->recoverable.low > 0.9 && strstr(finding->headline, cases[at].text) && finding->advice_count);
        arena_done(&made.arena);
    }
}

Test(vm_exits, what_can_not_be_counted_leaves_it_open)
{
    struct made_up made;
    make_up(&made);
    made.activity.voluntary_switches = measured_as(1e6); /* 8 us each: 8 s of 10 */
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.2);
    cr_expect_eq(test_and_find(&made, "vm-exits")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
    make_up(&made);
    made.results.stalls = NULL;
    const struct finding *finding = test_and_find(&made, "vm-exits");
    cr_expect_eq(finding->verdict, VERDICT_NOT_TESTABLE, "0 to 100 %% says nothing");
    cr_expect(strstr(finding->reason, "which instructions"), "%s", finding->reason);
    arena_done(&made.arena);
    make_up(&made);
    made.results.guest = NULL;
    cr_expect_eq(test_and_find(&made, "vm-exits")->verdict, VERDICT_NOT_TESTABLE);
    arena_done(&made.arena);
    make_up(&made);
    made.machine.is_guest = false;
    cr_expect_eq(test_and_find(&made, "vm-exits")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

/* Other programs kept the CPUs from going idle while that was tried: what the run shows bounds it all the same. */
Test(vm_exits, what_waking_costs_is_bounded_where_it_was_not_measured)
{
    struct made_up made;
    make_up(&made);
    made.guest.costs[GUEST_COST_WAKE_IDLE] = (struct guest_value){.why_not = "the other CPU was never idle"};
    made.activity.voluntary_switches = measured_as(12);
    cr_expect_eq(test_and_find(&made, "vm-exits")->verdict, VERDICT_RULED_OUT, "it never waited");
    made.run.threads_seen = 4;
    cost_set(&made, GUEST_COST_WAKE_POLLED, 6000);
    cost_set(&made, GUEST_COST_IPI, 9000);
    cr_expect_eq(test_and_find(&made, "vm-exits")->verdict, VERDICT_RULED_OUT, "12 times what waking takes at most");
    made.guest.costs[GUEST_COST_WAKE_POLLED] = made.guest.costs[GUEST_COST_IPI] = (struct guest_value){.why_not = "one CPU"};
    const struct finding *finding = test_and_find(&made, "vm-exits");
    cr_expect_eq(finding->verdict, VERDICT_NOT_TESTABLE);
    cr_expect(strstr(finding->reason, "how often it slept"), "%s", finding->reason);
    arena_done(&made.arena);
}

Test(vm_exits, first_touches_count_by_what_the_host_takes)
{
    struct made_up made;
    make_up(&made);
    made.activity.minor_faults = measured_as(2e6);
    made.guest.host_fault_share = interval_of(0.9, 0.95, 1);
    cost_set(&made, GUEST_COST_HOST_FAULT, 4000); /* 2e6 * 4 us: 8 s of 10 */
    const struct finding *finding = test_and_find(&made, "vm-exits");
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_expect(finding->recoverable.high > 0.7, "%g", finding->recoverable.high);
    arena_done(&made.arena);
}

Test(timer_tick, by_rate_and_cost)
{
    static const struct {
        double hz, tick_ns, timers;
        enum verdict verdict;
        double share;
    } cases[] = {
        {250, 5000, 3300, VERDICT_RULED_OUT, 0.00125}, {1000, 100e3, 3300, VERDICT_SUPPORTED, 0.1}, {1000, 50e3, 3300, VERDICT_UNDECIDED, 0.05},
        {1000, 100e3, 2, VERDICT_RULED_OUT, 0.0002}, /* nohz_full in force */
        {250, 5000, -1, VERDICT_RULED_OUT, 0.00125}, /* /proc/interrupts can't be read */
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct made_up made;
        make_up(&made);
        made.guest.kernel_hz.value = interval_exactly(cases[at].hz);
        made.cpu.timer_per_s = cases[at].timers;
        cost_set(&made, GUEST_COST_TICK, cases[at].tick_ns);
        const struct finding *finding = test_and_find(&made, "timer-tick");
        cr_expect_eq(finding->verdict, cases[at].verdict, "%zu: %s", at, verdict_name(finding->verdict));
        cr_expect_float_eq(finding->recoverable.mid, cases[at].share, cases[at].share * 0.05, "%zu: %g", at, finding->recoverable.mid);
        arena_done(&made.arena);
    }
}

Test(timer_tick, without_its_cost_all_interruptions_bound_it)
{
    struct made_up made;
    make_up(&made);
    made.guest.costs[GUEST_COST_TICK] = (struct guest_value){.why_not = "others used that CPU meanwhile"};
    const struct finding *finding = test_and_find(&made, "timer-tick");
    cr_expect_eq(finding->verdict, VERDICT_RULED_OUT);
    cr_expect(strstr(finding->reason, "others used"), "%s", finding->reason);
    made.guest.cpu_count = 0;
    finding = test_and_find(&made, "timer-tick");
    cr_expect_eq(finding->verdict, VERDICT_NOT_TESTABLE);
    cr_expect(strstr(finding->reason, "others used"), "%s", finding->reason);
    arena_done(&made.arena);
}

/* 90 % of the samples wait for memory spread over so much. */
static void add_waits(struct made_up *made, double bytes)
{
    made->group = (struct stall_group){.row = made->row, .area = "[heap]", .is_anonymous = true, .samples = 900, .load_samples = 900,
                                       .share = wilson_interval(900, 1000, 1000), .base_share = wilson_interval(0, 900, 900)};
    made->group.set = (struct working_set){.address_count = 900, .span_bytes = (uint64_t)bytes};
    made->group.set.pages = (struct set_size){true, bytes, bytes / 2};
    made->stalls.groups = &made->group;
    made->stalls.group_count = 1;
    made->stalls.memory_samples = 900;
}

static void backing_set(struct made_up *made, enum host_backing_verdict verdict, double ratio)
{
    made->guest.backing = (struct host_backing){
        .verdict = verdict, .dense_ns = interval_of(4.9, 5, 5.1), .huge_ns = interval_of(16, 17, 18), .small_ns = interval_of(22, 23, 24),
        .ratio = interval_of(ratio - 0.02, ratio, ratio + 0.02), .likely = wilson_interval(verdict == HOST_BACKING_SMALL ? 24 : 0, 24, 24), .rounds = 24};
    if (verdict == HOST_BACKING_UNKNOWN)
        made->guest.backing = (struct host_backing){.why_not = "no huge page could be had"};
}

Test(host_pages, verdicts)
{
    static const struct {
        enum host_backing_verdict backing;
        double ratio, bytes;
        enum verdict verdict;
        const char *word;
    } cases[] = {
        {HOST_BACKING_SMALL, 0.7, 1 << 28, VERDICT_UNDECIDED, "in smaller ones"},
        {HOST_BACKING_HUGE, 0.02, 1 << 28, VERDICT_RULED_OUT, "are huge"},
        {HOST_BACKING_UNKNOWN, 0, 1 << 28, VERDICT_NOT_TESTABLE, "no huge page could be had"},
        {HOST_BACKING_SMALL, 0.7, 1 << 20, VERDICT_RULED_OUT, "at most"}, /* within the TLB's reach */
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct made_up made;
        make_up(&made);
        add_waits(&made, cases[at].bytes);
        backing_set(&made, cases[at].backing, cases[at].ratio);
        const struct finding *finding = test_and_find(&made, "host-small-pages");
        cr_expect_eq(finding->verdict, cases[at].verdict, "%zu: %s", at, verdict_name(finding->verdict));
        cr_expect(finding->reason && strstr(finding->reason, cases[at].word), "%zu: %s", at, finding->reason);
        arena_done(&made.arena);
    }
}

/* What is written is read back; what is damaged isn't known. */
Test(guest_costs, as_a_document)
{
    struct made_up made;
    struct guest_costs read;
    struct error err = {0};
    scoped_text struct text out = {0};
    struct json_writer json;
    make_up(&made);
    backing_set(&made, HOST_BACKING_SMALL, 0.7);
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    guest_costs_members(&made.guest, &json);
    json_object_close(&json);
    for (int damaged = 0; damaged <= 1; damaged++) {
        scoped_json struct json_document *document = NULL;
        char *place = strstr(text_string(&out), "4500"); /* the tick's lower quartile, now above the others */
        if (damaged)
            memcpy(place, "9999", 4);
        cr_assert(json_document_parse(&document, view_of(text_string(&out)), &err), "%s", err.message);
        cr_assert(guest_costs_read(&read, json_root(document), &made.arena, &err), "%s", err.message);
        cr_expect_eq(read.costs[GUEST_COST_TICK].value.known, !damaged);
        cr_expect_float_eq(read.costs[GUEST_COST_IPI].value.mid, 1800, 1e-6);
        cr_expect(read.costs[GUEST_COST_WAKE_POLLED].why_not && !read.costs[GUEST_COST_WAKE_POLLED].value.known);
        cr_expect(read.cpu_count == 1 && read.cpus[0].lost_ratio > 0.005);
        cr_expect_eq(read.backing.verdict, HOST_BACKING_SMALL);
        cr_expect_float_eq(read.backing.ratio.mid, 0.7, 1e-9);
    }
    scoped_json struct json_document *other = NULL;
    cr_assert(json_document_parse(&other, view_of("{\"tick_ns\": 3}"), &err));
    cr_expect_not(guest_costs_read(&read, json_root(other), &made.arena, &err));
    arena_done(&made.arena);
}
