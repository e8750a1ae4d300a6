/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes that only counters tell, and those of the machine's limits: bounded where that can be had, else not testable; never a guess. */
#include "test.h"

#include "base/vec.h"
#include "finding/hypothesis.h"

#include <string.h>

struct made_up {
    struct arena arena;
    struct run_time run;
    struct activity activity;
    struct stalls stalls;
    struct stall_function function;
    struct stall_row row;
    struct surroundings machine;
    struct ceilings ceilings;
    struct ceilings_glimpse glimpses[4];
    struct counter_summary counters;
    struct named_count counts[2];
    struct bottleneck bottleneck;
    struct bottleneck_loop loop;
    struct results results;
    struct findings findings;
};

/* One thread, 10 s of arithmetic in 64 KiB of hot code, 1000 samples. */
static void make_up(struct made_up *made)
{
    *made = (struct made_up){0};
    arena_init(&made->arena);
    made->run = (struct run_time){.scope = RUN_STARTED, .elapsed_s = measured_as(10), .cpu_s = measured_as(10), .user_s = measured_as(10),
                                  .system_s = measured_as(0), .on_cpu_ratio = measured_as(1), .run_delay_s = measured_as(0), .cpus_used = measured_as(1),
                                  .threads_seen = 1};
    made->activity.cpus_online = measured_as(4);
    made->activity.cpus_allowed = measured_as(4);
    made->activity.busy_ratio = measured_as(0.25);
    made->row = (struct stall_row){.text = "vmulps %ymm0,%ymm1,%ymm2", .class = INSTRUCTION_FP, .samples = 900};
    made->function = (struct stall_function){.name = "hot", .dso = "a.out", .dso_path = "/a.out", .samples = 1000, .attributed = 1000, .has_code = true,
                                             .rows = &made->row, .row_count = 1, .share = wilson_interval(1000, 1000, 1000)};
    made->stalls = (struct stalls){.sample_count = 1000, .user_samples = 1000, .attributed = true, .attributed_samples = 1000, .hot_code_lines = 1024,
                                   .functions = &made->function, .function_count = 1, .cpu_s = 10};
    made->machine = (struct surroundings){.cpu = "a CPU", .microarchitecture = "", .kernel = "", .hypervisor = "bare metal", .confidential = "",
                                          .thp_enabled = "", .thp_defrag = "", .thp_shmem = "", .governor = "", .frequency_driver = "",
                                          .clock_most_hz = not_measured("not visible")};
    for (size_t at = 0; at < array_count(made->glimpses); at++)
        made->glimpses[at] = (struct ceilings_glimpse){.at_s = (double)at, .clock_hz = 2e9, .issue = 4};
    made->ceilings.glimpses = made->glimpses;
    made->ceilings.glimpse_count = array_count(made->glimpses);
    made->results = (struct results){.run = &made->run, .activity = &made->activity, .stalls = &made->stalls, .surroundings = &made->machine, .effect = 0.05};
}

static const struct finding *tested(struct made_up *made, const char *id)
{
    findings_test(&made->findings, &made->results, &made->arena);
    for (size_t at = 0; at < made->findings.count; at++)
        if (strcmp(made->findings.items[at].hypothesis->id, id) == 0)
            return &made->findings.items[at];
    cr_assert_fail("no finding '%s'", id);
    return NULL;
}

Test(hidden, without_counters_a_loose_bound_is_not_testable_and_a_close_one_rules_out)
{
    static const char *const all[] = {"machine-clears", "port-pressure", "uop-cache", "decoding", "4k-aliasing", "store-forwarding",
                                      "dram-latency", "l2-l3-latency"};
    struct made_up made;
    make_up(&made);
    made.stalls.load_samples = made.stalls.memory_samples = 500;
    for (size_t at = 0; at < array_count(all); at++) {
        const struct finding *finding = tested(&made, all[at]);
        cr_expect_eq(finding->verdict, VERDICT_NOT_TESTABLE, "%s", all[at]);
        cr_expect(finding->remedy && strlen(finding->remedy) > 20, "%s: nothing says what would make it testable", all[at]);
    }
    made.stalls.load_samples = made.stalls.memory_samples = 5;
    cr_expect_eq(tested(&made, "4k-aliasing")->verdict, VERDICT_RULED_OUT);
    cr_expect_eq(tested(&made, "store-forwarding")->verdict, VERDICT_RULED_OUT);
    cr_expect_eq(tested(&made, "dram-latency")->verdict, VERDICT_RULED_OUT);
    made.stalls.memory_samples = 990;
    cr_expect_eq(tested(&made, "port-pressure")->verdict, VERDICT_RULED_OUT, "what waits for memory holds no unit");
    made.stalls.hot_code_lines = 16;
    cr_expect_eq(tested(&made, "uop-cache")->verdict, VERDICT_RULED_OUT, "1 KiB stays decoded");
    made.stalls.single_lines = 200;
    cr_expect_eq(tested(&made, "uop-cache")->verdict, VERDICT_NOT_TESTABLE, "a flat profile has met a part of its code alone");
    arena_done(&made.arena);
}

Test(hidden, counted_clears_decide)
{
    struct made_up made;
    make_up(&made);
    made.counts[0] = (struct named_count){.name = "cycles", .count = measured_as(1e9), .running_ratio = 1, .hardware = true};
    made.counts[1] = (struct named_count){.name = "machine_clears.count", .count = measured_as(5e6), .running_ratio = 1, .hardware = true};
    made.counters = (struct counter_summary){.items = made.counts, .count = 2};
    made.results.counters = &made.counters;
    const struct finding *finding = tested(&made, "machine-clears");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "5 in 1000 cycles, 20 cycles each at least");
    cr_expect(finding->recoverable.low > 0.09 && finding->recoverable.high < 0.51);
    made.counts[1].count = measured_as(1e5);
    cr_expect_eq(tested(&made, "machine-clears")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

Test(hidden, the_estimate_names_busy_units_and_needless_trips)
{
    struct made_up made;
    make_up(&made);
    made.results.bottleneck = &made.bottleneck;
    made.bottleneck = (struct bottleneck){.program = {.class = BOTTLENECK_CORE, .cause = CAUSE_PORTS, .confidence = ESTIMATE_MEDIUM, .function = "hot",
                                                      .share = interval_exactly(0.9)}};
    made.bottleneck.masses[CAUSE_PORTS] = 0.9;
    cr_expect_eq(tested(&made, "port-pressure")->verdict, VERDICT_SUPPORTED);
    made.loop = (struct bottleneck_loop){.verdict = {.function = "hot"}, .samples = 900, .extra_memory_trips = measured_as(1), .bytes_per_turn = measured_as(256)};
    made.loop.masses[CAUSE_BANDWIDTH] = 1;
    made.bottleneck.program.cause = CAUSE_BANDWIDTH;
    made.bottleneck.masses[CAUSE_BANDWIDTH] = 0.9;
    made.bottleneck.loops = &made.loop;
    made.bottleneck.loop_count = 1;
    const struct finding *finding = tested(&made, "extra-trips");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "one of four lines a turn is needless");
    cr_expect(finding->recoverable.high > 0.2 && finding->recoverable.high < 0.3, "%f", finding->recoverable.high);
    made.loop.extra_memory_trips = measured_as(0);
    cr_expect_eq(tested(&made, "extra-trips")->verdict, VERDICT_RULED_OUT);
    made.loop.extra_memory_trips = not_measured("its streams aren't known");
    cr_expect_eq(tested(&made, "extra-trips")->verdict, VERDICT_NOT_TESTABLE);
    arena_done(&made.arena);
}

/* The code shows wide loads of what was written piecewise right before: samples there are a fact, their cause likely. */
Test(hidden, loads_of_what_was_written_piecewise_are_named)
{
    struct made_up made;
    make_up(&made);
    made.results.bottleneck = &made.bottleneck;
    made.stalls.load_samples = 600;
    made.bottleneck = (struct bottleneck){.loops = &made.loop, .loop_count = 1};
    made.loop = (struct bottleneck_loop){.verdict = {.function = "hot", .instruction = "mov (%rdi),%rax"}, .samples = 900};
    cr_expect_eq(tested(&made, "store-forwarding")->verdict, VERDICT_NOT_TESTABLE);
    made.loop.blocked_ratio = 0.6;
    const struct finding *finding = tested(&made, "store-forwarding");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect(finding->gain_unmeasured && strstr(finding->headline, "hot is likely held up where it loads at once"), "%s", finding->headline);
    arena_done(&made.arena);
}

Test(hidden, a_mask_matters_where_it_waited_while_others_stood_idle)
{
    struct made_up made;
    make_up(&made);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "it may use all");
    made.activity.cpus_allowed = measured_as(1);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "it never waited for a CPU");
    made.run.run_delay_s = measured_as(8);
    made.run.threads_seen = 2;
    const struct finding *finding = tested(&made, "affinity");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "one was ready without a CPU while three stood idle");
    cr_expect_float_eq(finding->recoverable.high, 0.75, 1e-9, "10 s of CPU time on four CPUs");
    cr_expect(finding->recoverable.low == 0 && finding->gain_unmeasured && finding->advice_count && finding->confirm);
    made.run.threads_seen = 64;
    finding = tested(&made, "affinity");
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED, "63 may have been ready at once, for an eightieth of the time");
    cr_expect(finding->recoverable.high <= 0.75 && finding->advice_count);
    made.run.threads_seen = 2;
    made.activity.busy_ratio = measured_as(0.85);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_UNDECIDED, "the idle ones may have been busy just then");
    made.activity.busy_ratio = measured_as(1);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "no other CPU stood idle");
    arena_done(&made.arena);
}

/* Two threads on CPU 0 of four, for 8 of 10 s each; what they wait for is each other. */
static void make_pinned(struct made_up *made, struct activity_thread *threads, struct activity_cpu *cpus)
{
    make_up(made);
    for (uint32_t at = 0; at < 4; at++)
        cpus[at] = (struct activity_cpu){.cpu = at, .busy_s = at ? 0.5 : 10};
    for (uint32_t at = 0; at < 3; at++)
        threads[at] = (struct activity_thread){.pid = 7, .tid = 7 + at, .run_s = measured_as(5), .run_delay_s = measured_as(at ? 4.5 : 0)};
    made->activity.elapsed_s = measured_as(10);
    made->activity.run_delay_s = measured_as(9);
    made->activity.cpus = cpus;
    made->activity.cpu_count = 4;
    made->activity.threads = threads;
    made->activity.thread_count = 3;
    made->run.threads_seen = 3;
    made->run.run_delay_s = measured_as(9);
}

Test(hidden, threads_have_masks_of_their_own)
{
    struct made_up made;
    struct activity_thread threads[3];
    struct activity_cpu cpus[4];
    make_pinned(&made, threads, cpus);
    const struct finding *finding = tested(&made, "affinity");
    cr_expect_eq(finding->verdict, VERDICT_NOT_TESTABLE, "a case that is older than their masks");
    cr_expect(finding->remedy && strlen(finding->remedy) > 20);
    made.run.run_delay_s = made.activity.run_delay_s = measured_as(0.1);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "whatever they may use, they never waited for it");
    made.run.run_delay_s = made.activity.run_delay_s = measured_as(9);
    for (size_t at = 0; at < 3; at++)
        strcpy(threads[at].cpus, at ? "0" : "0-3");
    finding = tested(&made, "affinity");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "one of both was ready all the time, three CPUs idle");
    cr_expect(finding->recoverable.low == 0 && finding->gain_unmeasured && finding->recoverable.high > 0.5);
    cr_expect(finding->headline && strstr(finding->headline, "2 of its threads are kept on CPU 0"), "%s", finding->headline);
    strcpy(threads[2].cpus, "1");
    threads[1].run_delay_s = threads[2].run_delay_s = measured_as(0.1);
    made.run.run_delay_s = made.activity.run_delay_s = measured_as(0.2);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "one on each CPU: nobody waits");
    made.run.run_delay_s = made.activity.run_delay_s = measured_as(9);
    finding = tested(&made, "affinity");
    cr_expect_neq(finding->verdict, VERDICT_RULED_OUT, "the other 8.8 s are of threads that nobody knows");
    for (size_t at = 0; at < 3; at++)
        strcpy(threads[at].cpus, "0-3"), threads[at].run_delay_s = measured_as(3);
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "each may use all: what keeps them waiting are others");
    for (size_t at = 0; at < 3; at++)
        strcpy(threads[at].cpus, at ? "0" : "0-3"), cpus[at + 1].busy_s = 10;
    cr_expect_eq(tested(&made, "affinity")->verdict, VERDICT_RULED_OUT, "no other CPU stood idle");
    arena_done(&made.arena);
}

Test(hidden, a_steady_clock_proves_nothing_without_the_highest_one)
{
    struct made_up made;
    make_up(&made);
    cr_expect_eq(tested(&made, "thermal-power")->verdict, VERDICT_NOT_TESTABLE);
    made.results.ceilings = &made.ceilings;
    cr_expect_eq(tested(&made, "thermal-power")->verdict, VERDICT_NOT_TESTABLE);
    made.machine.clock_most_hz = measured_as(2.02e9);
    cr_expect_eq(tested(&made, "thermal-power")->verdict, VERDICT_RULED_OUT);
    made.machine.clock_most_hz = measured_as(3e9);
    const struct finding *finding = tested(&made, "thermal-power");
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_expect(finding->recoverable.high > 0.3 && finding->recoverable.high < 0.34);
    arena_done(&made.arena);
}

Test(hidden, a_shared_core_is_bounded_by_what_its_looks_missed)
{
    struct made_up made;
    make_up(&made);
    cr_expect_eq(tested(&made, "smt-sharing")->verdict, VERDICT_NOT_TESTABLE);
    made.results.ceilings = &made.ceilings;
    made.ceilings.now.share = interval_of(0.96, 0.97, 0.98);
    cr_expect_eq(tested(&made, "smt-sharing")->verdict, VERDICT_RULED_OUT);
    made.ceilings.now.share = interval_of(0.5, 0.55, 0.6);
    const struct finding *finding = tested(&made, "smt-sharing");
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_expect(finding->recoverable.high > 0.49 && finding->recoverable.high < 0.51 && finding->confirm);
    arena_done(&made.arena);
}

Test(hidden, each_hypothesis_says_its_rule_its_gain_and_what_would_overturn_it)
{
    for (size_t at = 0; hypothesis_table[at]; at++) {
        const struct hypothesis *hypothesis = hypothesis_table[at];
        cr_expect(hypothesis->rule && strlen(hypothesis->rule) > 40, "%s", hypothesis->id);
        cr_expect(hypothesis->gain && hypothesis->overturn && hypothesis->needs, "%s", hypothesis->id);
    }
}
