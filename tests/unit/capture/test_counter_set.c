/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters beside a diagnosis on a PMU that is written down here, and as a part of a case. */
#include "test.h"

#include "analyse/counts/counter_summary.h"
#include "base/vec.h"
#include "capture/counters/counter_set.h"
#include "made_folder.h"
#include "simulated_pmu.h"

#include <errno.h>

#define COUNTED(number, rate)                                                                                     \
    {                                                                                                             \
        .type = PERF_TYPE_HARDWARE, .config = (number), .needs = SIMULATED_HARDWARE, .per_second = (rate)         \
    }

static const struct simulated_rule rules[] = {
    COUNTED(PERF_COUNT_HW_CPU_CYCLES, 3e9),
    COUNTED(PERF_COUNT_HW_INSTRUCTIONS, 6e9),
    COUNTED(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1e9),
    COUNTED(PERF_COUNT_HW_BRANCH_MISSES, 5e7),
    COUNTED(PERF_COUNT_HW_CACHE_REFERENCES, 1e8),
    COUNTED(PERF_COUNT_HW_CACHE_MISSES, 1e7),
    {.type = PERF_TYPE_HW_CACHE, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 2e8},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
};

struct bench {
    struct simulated_pmu *pmu;
    struct sysroot root;
    struct arena arena;
    struct target target;
    struct counter_set *set;
    struct error err;
};

static bool bench_open(struct bench *bench, struct simulated_plan plan)
{
    *bench = (struct bench){0};
    plan.rules = plan.rules ? plan.rules : rules;
    plan.rule_count = plan.rule_count ? plan.rule_count : array_count(rules);
    bench->pmu = simulated_pmu_new(&plan);
    sysroot_init(&bench->root, "/nonexistent");
    target_of_workload(&bench->target, 100, &bench->arena);
    return counter_set_open(&bench->set, &bench->target, false, simulated_pmu_kernel(bench->pmu), &bench->root, &bench->err);
}

static const struct counter_total *total(struct bench *bench, const char *name)
{
    const struct counter_total *totals;
    size_t count = counter_set_finish(bench->set, &totals);
    for (size_t at = 0; at < count; at++)
        if (strcmp(totals[at].name, name) == 0)
            return &totals[at];
    cr_assert(false, "no %s", name);
    return NULL;
}

static void bench_done(struct bench *bench)
{
    counter_set_free(bench->set);
    cr_expect_eq(simulated_pmu_open_count(bench->pmu), 0, "descriptors leak");
    simulated_pmu_free(bench->pmu);
    arena_done(&bench->arena);
}

Test(counter_set, what_is_divided_by_one_another_is_counted_together)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4}), "%s", bench.err.message);
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 400000000);
    const struct counter_total *cycles = total(&bench, "cycles"), *misses = total(&bench, "branch-misses");
    cr_expect(cycles->count.known);
    cr_expect_lt(cycles->running_ratio, 1, "eight groups share four counters");
    cr_expect_float_eq(cycles->running_ratio, misses->running_ratio, 1e-9, "one group, the same moments");
    cr_expect_float_eq(cycles->count.value, 1.2e9, 1e7);
    cr_expect_float_eq(misses->count.value / cycles->count.value, 5.0 / 300, 1e-6);
    cr_expect(cycles->hardware && !total(&bench, "task-clock")->hardware);
    cr_expect_float_eq(total(&bench, "task-clock")->running_ratio, 1, 1e-9);
    bench_done(&bench);
}

Test(counter_set, a_small_pmu_takes_them_one_by_one)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 1}), "%s", bench.err.message);
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 4000000000);
    cr_expect(total(&bench, "cycles")->count.known);
    cr_expect_float_eq(total(&bench, "branch-misses")->count.value, 2e8, 2e6);
    bench_done(&bench);
}

Test(counter_set, without_a_pmu_the_kernels_counts_remain_and_the_rest_has_its_reason)
{
    static const struct simulated_rule software[] = {
        {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9}};
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.rules = software, .rule_count = 1}));
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 1000000);
    cr_expect_float_eq(total(&bench, "task-clock")->count.value, 1000000, 0.5);
    const struct counter_total *cycles = total(&bench, "cycles");
    cr_assert_not(cycles->count.known);
    cr_assert_not_null(cycles->count.why_not);
    cr_expect(cycles->count.why_not[0] != '\0');
    bench_done(&bench);
}

Test(counter_set, counters_that_others_hold_are_not_zero)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4, .taken = 4}));
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 100000000);
    cr_assert_not(total(&bench, "cycles")->count.known);
    cr_expect_not_null(strstr(total(&bench, "cycles")->count.why_not, "never came"));
    bench_done(&bench);
}

Test(counter_set, without_the_kernel_it_says_so)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 8, .kernel_refused = true}));
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 100000000);
    cr_expect(total(&bench, "cycles")->user_only);
    cr_expect_not(total(&bench, "context-switches")->count.known, "they happen in the kernel");
    bench_done(&bench);
}

/*
 * CPU 0 is slow and half of its counters are another's; CPU 1 counts twice as fast on all of its own. Each part is
 * scaled by its own share: adding first would weigh CPU 1's rate by CPU 0's missing time.
 */
Test(counter_set, parts_of_unequal_shares_are_scaled_one_by_one)
{
    static const struct simulated_rule uneven[] = {
        {.type = PERF_TYPE_HARDWARE, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 1e9, .faster_by_cpu = true},
        {.type = PERF_TYPE_HW_CACHE, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 2e8},
        {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
    };
    int cpus[] = {0, 1};
    struct bench bench = {0};
    bench.pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = uneven, .rule_count = array_count(uneven), .programmable = 8, .cpus = 2});
    sysroot_init(&bench.root, "/nonexistent");
    bench.target = (struct target){.kind = TARGET_CPUS, .cpus = cpus, .cpu_count = 2, .cgroup_fd = -1, .system_wide = true};
    const struct kernel *kernel = simulated_pmu_kernel(bench.pmu);
    int others[4];
    for (size_t at = 0; at < array_count(others); at++) {
        struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
                                       .config = PERF_COUNT_HW_BUS_CYCLES, .pinned = 1};
        others[at] = kernel->perf_event_open(kernel->context, &attr, -1, 0, -1, 0);
        cr_assert_geq(others[at], 0);
    }
    cr_assert(counter_set_open(&bench.set, &bench.target, false, kernel, &bench.root, &bench.err), "%s", bench.err.message);
    counter_set_start(bench.set);
    simulated_pmu_run(bench.pmu, 400000000);
    const struct counter_total *cycles = total(&bench, "cycles");
    cr_assert(cycles->count.known, "%s", cycles->count.why_not);
    cr_expect_lt(cycles->running_ratio, 0.9, "the lower share of the two: %g", cycles->running_ratio);
    cr_expect_float_eq(cycles->count.value, 0.4e9 + 0.8e9, 1e6, "%g", cycles->count.value);
    for (size_t at = 0; at < array_count(others); at++)
        kernel->close(kernel->context, others[at]);
    bench_done(&bench);
}

/* ---- counters.json ---- */

static const struct named_count items[] = {
    {"cycles", {true, 1.5e9, NULL}, 0.25, true, false},
    {"page-faults", {true, 12, NULL}, 1, false, true},
    {"LLC-loads", {false, 0, "the machine has no such event"}, 1, true, false},
};

/* ---- the clock's events, where the model has them ---- */

static void machine_make(const char *folder, const char *model, const char *stepping)
{
    made_folder_put(folder, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %s\n"
                    "model name\t: made up\nstepping\t: %s\n\n", model, stepping);
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/type", "4\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/format/event", "config:0-7\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/msr/type", "7\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/msr/format/event", "config:0-63\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/msr/events/tsc", "event=0x00\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/msr/events/aperf", "event=0x01\n");
    made_folder_put(folder, "/sys/bus/event_source/devices/msr/events/mperf", "event=0x02\n");
}

#define LICENCE(number, rate)                                                                                     \
    {                                                                                                             \
        .type = PERF_TYPE_RAW, .config = (number), .needs = SIMULATED_HARDWARE, .per_second = (rate)              \
    }

static const struct simulated_rule clock_rules[] = {
    COUNTED(PERF_COUNT_HW_CPU_CYCLES, 3e9),
    COUNTED(PERF_COUNT_HW_INSTRUCTIONS, 6e9),
    LICENCE(0x0728, 2.6e9),
    LICENCE(0x1828, 3e8),
    LICENCE(0x2028, 1e8),
    {.type = 7, .config = 0, .per_second = 2.5e9},
    {.type = 7, .config = 1, .per_second = 3e9},
    {.type = 7, .config = 2, .per_second = 2.5e9},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
};

static void clock_open(struct bench *bench, const char *folder)
{
    *bench = (struct bench){0};
    arena_init(&bench->arena);
    bench->pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = clock_rules, .rule_count = array_count(clock_rules), .programmable = 4, .fixed = 3});
    sysroot_init(&bench->root, folder);
    target_of_workload(&bench->target, 100, &bench->arena);
    cr_assert(counter_set_open(&bench->set, &bench->target, false, simulated_pmu_kernel(bench->pmu), &bench->root, &bench->err),
              "%s", bench->err.message);
    simulated_pmu_exec(bench->pmu, 100);
    simulated_pmu_run(bench->pmu, 1000000000);
}

Test(counter_set, licences_and_the_mean_clock_are_counted_where_the_model_has_them)
{
    char folder[] = "/tmp/plumb_counter_set_XXXXXX";
    struct bench bench;
    cr_assert(mkdtemp(folder));
    machine_make(folder, "85", "7"); /* Cascade Lake */
    clock_open(&bench, folder);
    const struct counter_total *totals;
    size_t count = counter_set_finish(bench.set, &totals), met = 0;
    double sum = 0;
    for (size_t at = 0; at < count; at++) {
        bool is_licence = strncmp(totals[at].name, "core_power.", 11) == 0, is_msr = strncmp(totals[at].name, "msr/", 4) == 0;
        if (!is_licence && !is_msr)
            continue;
        cr_expect(totals[at].count.known, "%s: %s", totals[at].name, totals[at].count.why_not);
        cr_expect_eq(totals[at].hardware, is_licence, "%s", totals[at].name);
        met++;
        sum += is_licence ? totals[at].count.value : 0;
        if (strcmp(totals[at].name, "core_power.lvl2_turbo_license") == 0)
            cr_expect_float_eq(totals[at].count.value / 1e8, 1, 0.02);
    }
    cr_expect_eq(met, 6);
    cr_expect_float_eq(sum / 3e9, 1, 0.02, "the three levels are all cycles: %f", sum);
    cr_expect(simulated_pmu_was_tried(bench.pmu, PERF_TYPE_RAW, 0x1828));
    bench_done(&bench);
    made_folder_remove(folder);
}

Test(counter_set, other_models_are_not_asked_for_licences)
{
    char folder[] = "/tmp/plumb_counter_set_XXXXXX";
    struct bench bench;
    cr_assert(mkdtemp(folder));
    machine_make(folder, "143", "8"); /* Sapphire Rapids: that code means something else there */
    clock_open(&bench, folder);
    cr_expect_not(simulated_pmu_was_tried(bench.pmu, PERF_TYPE_RAW, 0x1828));
    cr_expect(simulated_pmu_was_tried(bench.pmu, 7, 1));
    bench_done(&bench);
    made_folder_remove(folder);
}

Test(counter_summary, survives_its_own_json)
{
    struct counter_summary summary = {items, array_count(items), "measured by a test", true}, again;
    struct text out = {0};
    struct error err = {0};
    struct arena arena;
    arena_init(&arena);
    counter_summary_write(&summary, &out);
    struct json_document *document = NULL;
    cr_assert(json_document_parse(&document, text_view(&out), &err), "%s", err.message);
    cr_assert(counter_summary_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_assert_eq(again.count, array_count(items));
    cr_expect(again.imported);
    cr_expect_str_eq(again.origin, "measured by a test");
    for (size_t at = 0; at < array_count(items); at++) {
        cr_expect_str_eq(again.items[at].name, items[at].name);
        cr_expect_eq(again.items[at].count.known, items[at].count.known);
        cr_expect_eq(again.items[at].hardware, items[at].hardware);
        cr_expect_eq(again.items[at].user_only, items[at].user_only);
    }
    cr_expect_float_eq(again.items[0].running_ratio, 0.25, 1e-12);
    cr_expect_float_eq(counter_of(&again, "cycles").value, 1.5e9, 1);
    cr_expect_not(counter_of(&again, "LLC-loads").known);
    cr_expect_not(counter_of(NULL, "cycles").known);
    cr_expect(counter_summary_has_hardware(&again));
    cr_expect_not(counter_summary_has_hardware(NULL));
    json_document_free(document);
    text_done(&out);
    arena_done(&arena);
}

Test(counter_summary, impossible_parts_are_refused)
{
    static const char *const broken[] = {
        "{}", "{\"counters\": 3}", "{\"counters\": [{}]}", "{\"counters\": [{\"name\": \"\", \"count\": 1}]}",
        "{\"counters\": [{\"name\": \"cycles\", \"count\": -1}]}",
        "{\"counters\": [{\"name\": \"cycles\", \"count\": 1, \"running_ratio\": 7}]}",
    };
    for (size_t at = 0; at < array_count(broken); at++) {
        struct json_document *document = NULL;
        struct counter_summary summary;
        struct error err = {0};
        struct arena arena;
        arena_init(&arena);
        cr_assert(json_document_parse(&document, view_of(broken[at]), &err));
        cr_expect_not(counter_summary_read(&summary, json_root(document), &arena, &err), "%s", broken[at]);
        cr_expect_eq(err.kind, ERROR_FORMAT);
        json_document_free(document);
        arena_done(&arena);
    }
}
