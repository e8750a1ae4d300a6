/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock that wide vectors lower: by the core's own counters, by the mean clock, by glimpses and blocks. */
#include "test.h"

#include "base/vec.h"
#include "capture/counters/counter_set.h"
#include "finding/hypothesis.h"
#include "made_folder.h"
#include "simulated_pmu.h"

#include <stdlib.h>

struct made_up {
    struct arena arena;
    struct run_time run;
    struct instruction instruction;
    uint64_t hits;
    struct stall_function function;
    struct stall_code code;
    struct stalls stalls;
    struct surroundings machine;
    struct ceilings_glimpse glimpses[20];
    struct ceilings ceilings;
    struct counter_summary counters;
    struct results results;
    struct findings findings;
};

/* 1000 samples of which 20 stand at 512-bit multiply-adds; nothing is known of the clock yet. */
static void make_up(struct made_up *made)
{
    *made = (struct made_up){0};
    arena_init(&made->arena);
    made->run = (struct run_time){
        .scope = RUN_STARTED,
        .elapsed_s = measured_as(10),
        .cpu_s = measured_as(10),
        .on_cpu_ratio = measured_as(1),
        .run_delay_s = measured_as(0),
        .wanted_ratio = measured_as(1),
        .cpus_used = measured_as(1),
        .threads_seen = 1,
    };
    made->instruction = (struct instruction){
        .class = INSTRUCTION_FP, .is_fp = true, .vector_bits = 512, .mnemonic = "vfmadd213ps"};
    made->hits = 20;
    made->function = (struct stall_function){.name = "burst", .dso = "a.out", .dso_path = "/a.out", .samples = 20, .attributed = 20, .has_code = true};
    made->code = (struct stall_code){.items = &made->instruction, .hits = &made->hits, .count = 1};
    made->stalls = (struct stalls){
        .sample_count = 1000, .user_samples = 1000, .attributed = true, .attributed_samples = 1000,
        .vector_samples = {0, 0, 20}, .has_wide_code = true, .functions = &made->function, .function_count = 1,
        .codes = &made->code, .cpu_s = 10};
    made->machine = (struct surroundings){
        .cpu = "a CPU", .microarchitecture = "", .kernel = "", .hypervisor = "KVM", .confidential = "",
        .thp_enabled = "madvise", .thp_defrag = "", .thp_shmem = "", .governor = "", .frequency_driver = "",
        .is_guest = true, .has_avx2 = true, .has_avx512 = true};
    made->results = (struct results){
        .run = &made->run, .stalls = &made->stalls, .surroundings = &made->machine, .effect = 0.05, .command = "./a.out"};
}

static void figure(struct calibration *calibration, enum calibration_figure which, double low, double mid, double high)
{
    calibration->figures[which].value = interval_of(low, mid, high);
}

/* Scalar code gets 3.1 GHz; behind 512-bit arithmetic so much of it is left; glimpses found this clock. */
static void add_clock(struct made_up *made, double left, double glimpsed_hz)
{
    for (size_t at = 0; at < array_count(made->glimpses); at++)
        made->glimpses[at] = (struct ceilings_glimpse){0.1 * (double)at, 0, glimpsed_hz, 4};
    made->ceilings = (struct ceilings){
        .has_before = true, .has_after = true, .glimpses = made->glimpses, .glimpse_count = array_count(made->glimpses)};
    figure(&made->ceilings.before, CALIBRATION_CLOCK, 3.09e9, 3.1e9, 3.1e9);
    figure(&made->ceilings.after, CALIBRATION_CLOCK, 2.9e9, 3.0e9, 3.1e9);
    figure(&made->ceilings.after, CALIBRATION_CLOCK_HEAVY_512, left - 0.01, left, left + 0.01);
    figure(&made->ceilings.after, CALIBRATION_CLOCK_LIGHT_512, (1 + left) / 2, (1 + left) / 2, (1 + left) / 2);
    figure(&made->ceilings.after, CALIBRATION_CLOCK_HEAVY_256, (1 + left) / 2, (1 + left) / 2, (1 + left) / 2);
    ceilings_settle(&made->ceilings);
    made->results.ceilings = &made->ceilings;
}

static const struct finding *licence(struct made_up *made)
{
    findings_test(&made->findings, &made->results, &made->arena);
    for (size_t at = 0; at < made->findings.count; at++)
        if (strcmp(made->findings.items[at].hypothesis->id, "avx512-licence") == 0)
            return &made->findings.items[at];
    cr_assert_fail("no such finding");
    return NULL;
}

static bool has_evidence(const struct finding *finding, const char *key)
{
    for (size_t at = 0; at < finding->evidence_count; at++)
        if (strcmp(finding->evidence[at].key, key) == 0)
            return true;
    return false;
}

Test(licence, short_bursts_that_slow_the_scalar_rest_are_medium_at_most)
{
    struct made_up made;
    make_up(&made);
    add_clock(&made, 0.77, 2.4e9);
    const struct finding *finding = licence(&made);
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED, "%s", finding->reason);
    cr_expect_eq(finding->confidence, CONFIDENCE_MEDIUM);
    cr_expect(strstr(finding->confidence_reason, "heat, the power limit or a neighbour"), "%s", finding->confidence_reason);
    cr_expect(finding->recoverable.low > 0.1 && finding->recoverable.high <= 0.24, "%f %f", finding->recoverable.low,
              finding->recoverable.high);
    cr_expect_str_eq(finding->subject, "vfmadd213ps in burst");
    cr_expect(has_evidence(finding, "blocks") && has_evidence(finding, "glimpses") && has_evidence(finding, "wide"));
    arena_done(&made.arena);
}

/* The same work in narrower vectors takes longer: what that costs may be more than the clock returns. */
/* A neighbour may lower the clock of our own scalar code, before and after; the highest that was seen is what there was to lose. */
Test(licence, a_neighbour_does_not_hide_what_was_lost)
{
    struct made_up made;
    make_up(&made);
    add_clock(&made, 0.77, 2.4e9);
    made.ceilings.kept = made.ceilings.before;
    made.ceilings.has_kept = true;
    figure(&made.ceilings.before, CALIBRATION_CLOCK, 2.4e9, 2.4e9, 2.4e9);
    figure(&made.ceilings.after, CALIBRATION_CLOCK, 2.4e9, 2.4e9, 2.4e9);
    const struct finding *finding = licence(&made);
    cr_expect(has_evidence(finding, "blocks-unmeasured"), "it held down the blocks' clock, too");
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED, "so that nothing ties the clock to the wide code");
    cr_expect(finding->recoverable.high > 0.15, "%f", finding->recoverable.high);
    made.ceilings.after.figures[CALIBRATION_CLOCK].value = interval_of(2.4e9, 2.4e9, 3.1e9);
    cr_expect_eq(licence(&made)->verdict, VERDICT_SUPPORTED, "%s", licence(&made)->reason);
    arena_done(&made.arena);
}

Test(licence, code_that_is_wide_throughout_stays_open)
{
    struct made_up made;
    make_up(&made);
    made.hits = made.stalls.vector_samples[2] = 900;
    add_clock(&made, 0.77, 2.4e9);
    const struct finding *finding = licence(&made);
    cr_expect_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_expect(finding->recoverable.low <= 0 && finding->recoverable.high > 0.2 && finding->remedy);
    arena_done(&made.arena);
}

Test(licence, what_the_clock_itself_bounds_is_ruled_out)
{
    struct made_up made;
    make_up(&made);
    add_clock(&made, 0.99, 2.4e9);
    cr_expect_eq(licence(&made)->verdict, VERDICT_RULED_OUT, "wide code costs no clock here");
    cr_expect(strstr(licence(&made)->reason, "doesn't lower the clock here"), "%s", licence(&made)->reason);
    add_clock(&made, 0.77, 3.1e9);
    cr_expect_eq(licence(&made)->verdict, VERDICT_RULED_OUT, "it ran at the full clock: %s", licence(&made)->reason);
    made.run.run_delay_s = measured_as(5);
    cr_expect_eq(licence(&made)->verdict, VERDICT_UNDECIDED, "others ran there as well: it was their clock");
    made.run.run_delay_s = measured_as(0);
    add_clock(&made, 0.77, 2.4e9);
    made.ceilings.glimpse_count = 0;
    ceilings_settle(&made.ceilings);
    cr_expect_eq(licence(&made)->verdict, VERDICT_UNDECIDED, "nobody looked");
    made.results.ceilings = NULL;
    cr_expect_eq(licence(&made)->verdict, VERDICT_UNDECIDED);
    cr_expect_float_eq(licence(&made)->recoverable.high, 0.25, 1e-9);
    arena_done(&made.arena);
}

Test(licence, a_lowered_clock_without_wide_code_is_somebody_elses)
{
    struct made_up made;
    make_up(&made);
    made.stalls.has_wide_code = false;
    made.stalls.vector_samples[2] = 0;
    made.stalls.codes = NULL;
    add_clock(&made, 0.77, 2.4e9);
    const struct finding *finding = licence(&made);
    cr_expect_eq(finding->verdict, VERDICT_RULED_OUT);
    cr_expect(strstr(finding->reason, "a neighbour on the same core"), "%s", finding->reason);
    made.stalls.blind_samples = 200; /* code that could not be read may be wide */
    cr_expect_neq(licence(&made)->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

Test(licence, narrow_arithmetic_counts_where_it_is_hot)
{
    struct made_up made;
    make_up(&made);
    made.stalls.has_wide_code = false;
    made.stalls.vector_samples[2] = 0;
    made.instruction.vector_bits = 256;
    made.hits = 20;
    add_clock(&made, 0.77, 2.7e9);
    cr_expect_eq(licence(&made)->verdict, VERDICT_RULED_OUT, "a stray one asks for no licence");
    made.hits = 800;
    cr_expect_eq(licence(&made)->verdict, VERDICT_UNDECIDED);
    cr_expect(licence(&made)->recoverable.high < 0.13, "no more than 256-bit blocks lower it here");
    arena_done(&made.arena);
}

Test(licence, the_mean_clock_counts_before_glimpses)
{
    struct named_count items[] = {
        {.name = "task-clock", .count = measured_as(10e9), .running_ratio = 1},
        {.name = "msr/aperf/", .count = measured_as(24e9), .running_ratio = 1},
        {.name = "msr/mperf/", .count = measured_as(25e9), .running_ratio = 1},
        {.name = "msr/tsc/", .count = measured_as(25e9), .running_ratio = 1},
    };
    struct made_up made;
    make_up(&made);
    add_clock(&made, 0.77, 3.1e9);
    made.counters = (struct counter_summary){items, array_count(items), "measured by a test", false};
    made.results.counters = &made.counters;
    const struct finding *finding = licence(&made);
    cr_expect(has_evidence(finding, "mean-clock"));
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "2.4 GHz instead of 3.1: %s", finding->reason);
    cr_expect_leq(finding->confidence, CONFIDENCE_MEDIUM);
    items[1].count = measured_as(31e9);
    cr_expect_eq(licence(&made)->verdict, VERDICT_RULED_OUT, "3.1 GHz");
    struct named_count cycles[] = {
        {.name = "task-clock", .count = measured_as(10e9), .running_ratio = 1},
        {.name = "cycles", .count = measured_as(24e9), .running_ratio = 1, .hardware = true},
    };
    made.counters = (struct counter_summary){cycles, array_count(cycles), "measured by a test", false};
    cr_expect_eq(licence(&made)->verdict, VERDICT_SUPPORTED);
    cycles[1].user_only = true; /* the kernel's part of the time has no cycles: no mean */
    cr_expect_not(has_evidence(licence(&made), "mean-clock"));
    arena_done(&made.arena);
}

/* ---- from the core's own counters, through a PMU that isn't there ---- */

static void machine_make(const char *folder)
{
    made_folder_put(folder, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
                    "model name\t: made up\nstepping\t: 4\n\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/type", "4\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n");
}

/* One second on a Skylake server whose cores spend such shares of their cycles at the lowered clocks. */
static void count_licences(struct made_up *made, double first, double second)
{
    char folder[] = "/tmp/plumb_licence_XXXXXX";
    const struct simulated_rule rules[] = {
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .per_second = 3e9},
        {.type = PERF_TYPE_RAW, .config = 0x0728, .needs = SIMULATED_HARDWARE, .per_second = 3e9 * (1 - first - second)},
        {.type = PERF_TYPE_RAW, .config = 0x1828, .needs = SIMULATED_HARDWARE, .per_second = 3e9 * first},
        {.type = PERF_TYPE_RAW, .config = 0x2028, .needs = SIMULATED_HARDWARE, .per_second = 3e9 * second},
        {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
    };
    cr_assert(mkdtemp(folder));
    machine_make(folder);
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = array_count(rules), .programmable = 4, .fixed = 3});
    struct sysroot root;
    struct target target = {0};
    struct counter_set *set;
    struct error err = {0};
    sysroot_init(&root, folder);
    target_of_workload(&target, 100, &made->arena);
    cr_assert(counter_set_open(&set, &target, false, simulated_pmu_kernel(pmu), &root, &err), "%s", err.message);
    simulated_pmu_exec(pmu, 100);
    simulated_pmu_run(pmu, 1000000000);
    const struct counter_total *totals;
    size_t count = counter_set_finish(set, &totals);
    struct named_count *items = arena_array(&made->arena, struct named_count, count);
    for (size_t at = 0; at < count; at++)
        items[at] = (struct named_count){arena_string(&made->arena, totals[at].name), totals[at].count, 1,
                                         totals[at].hardware, totals[at].user_only};
    made->counters = (struct counter_summary){items, count, "measured by a test", false};
    made->results.counters = &made->counters;
    counter_set_free(set);
    simulated_pmu_free(pmu);
    made_folder_remove(folder);
}

Test(licence, the_cores_own_count_decides)
{
    struct made_up made;
    make_up(&made);
    add_clock(&made, 0.77, 3.1e9); /* glimpses say nothing then */
    count_licences(&made, 0.02, 0.9);
    const struct finding *finding = licence(&made);
    cr_expect(has_evidence(finding, "events"));
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "%s", finding->reason);
    cr_expect_eq(finding->confidence, CONFIDENCE_HIGH, "%s", finding->confidence_reason);
    cr_expect_not(finding->is_estimate);
    /* The numbers of a published case: 7 % of the cycles at the deepest licence, a quarter of the clock at most. */
    count_licences(&made, 0, 583958024.0 / 8386784008.0);
    made.results.ceilings = NULL;
    finding = licence(&made);
    cr_expect_eq(finding->verdict, VERDICT_RULED_OUT);
    cr_expect(finding->recoverable.high > 0.015 && finding->recoverable.high < 0.018, "%f", finding->recoverable.high);
    made.results.effect = 0.01; /* who asks for 1 % gets no verdict: what wide code costs was not measured there */
    cr_expect_eq(licence(&made)->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

Test(licence, where_stalls_cannot_be_told_the_count_still_decides)
{
    struct made_up made;
    make_up(&made);
    made.stalls.attributed = false;
    cr_expect_eq(licence(&made)->verdict, VERDICT_NOT_TESTABLE);
    count_licences(&made, 0, 0.01);
    cr_expect_eq(licence(&made)->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}
