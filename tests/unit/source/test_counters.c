/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "simulated_pmu.h"
#include "source/live/counters.h"

#include <errno.h>

#define CYCLES                                                                                                    \
    {                                                                                                             \
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE,              \
        .per_second = 1e9                                                                                         \
    }
#define TASK_CLOCK                                                                                                \
    {                                                                                                             \
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .per_second = 1e9                         \
    }
#define SWITCHES                                                                                                  \
    {                                                                                                             \
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES, .per_second = 1e3                   \
    }
#define RAW_ANY                                                                                                   \
    {                                                                                                             \
        .type = PERF_TYPE_RAW, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 1e6                 \
    }

static const struct simulated_rule rules[] = {CYCLES, TASK_CLOCK, SWITCHES, RAW_ANY};

/* A simulated machine with events opened on a held child, pid 100. */
struct bench {
    struct simulated_pmu *pmu;
    struct sysroot root;
    struct arena arena;
    struct event_list events;
    struct target target;
    struct counters counters;
    struct error err;
};

static bool bench_open(struct bench *bench, struct simulated_plan plan, const char *events, int cpus)
{
    *bench = (struct bench){0};
    plan.rules = plan.rules ? plan.rules : rules;
    plan.rule_count = plan.rule_count ? plan.rule_count : array_count(rules);
    bench->pmu = simulated_pmu_new(&plan);
    sysroot_init(&bench->root, "/nonexistent");
    cr_assert(event_list_parse(&bench->events, events, &bench->root, &bench->arena, &bench->err), "%s",
              bench->err.message);
    target_of_workload(&bench->target, 100, &bench->arena);
    if (cpus) {
        bench->target.kind = TARGET_CPUS;
        bench->target.cpus = arena_array(&bench->arena, int, (size_t)cpus);
        bench->target.cpu_count = (size_t)cpus;
        for (int cpu = 0; cpu < cpus; cpu++)
            bench->target.cpus[cpu] = cpu;
    }
    struct counter_request request = {
        .events = &bench->events, .target = &bench->target, .inherit = true, .enable_on_exec = !cpus};
    return counters_open(&bench->counters, &request, simulated_pmu_kernel(bench->pmu), &bench->root, &bench->arena,
                         &bench->err);
}

/* The program runs this long; then everything is read. */
static void bench_run(struct bench *bench, uint64_t duration_ns)
{
    if (bench->target.kind == TARGET_WORKLOAD)
        simulated_pmu_exec(bench->pmu, 100);
    else
        counters_enable(&bench->counters);
    simulated_pmu_run(bench->pmu, duration_ns);
    counters_read(&bench->counters);
}

static void bench_done(struct bench *bench)
{
    counters_close(&bench->counters);
    cr_expect_eq(simulated_pmu_open_count(bench->pmu), 0, "descriptors leak");
    simulated_pmu_free(bench->pmu);
    event_list_done(&bench->events);
    arena_done(&bench->arena);
}

Test(counters, count_from_the_exec_on)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4}, "cycles,task-clock,context-switches", 0));
    simulated_pmu_run(bench.pmu, 5000000); /* the child waits: nothing is counted */
    bench_run(&bench, 10000000);
    cr_assert_eq(bench.counters.items[0].values[0].value, 10000000u);
    cr_assert_eq(bench.counters.items[1].values[0].value, 10000000u);
    cr_assert_eq(bench.counters.items[2].values[0].value, 10u);
    cr_assert_eq(bench.counters.items[0].values[0].enabled_ns, bench.counters.items[0].values[0].running_ns);
    bench_done(&bench);
}

Test(counters, more_events_than_counters_are_multiplexed)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 2}, "r1,r2,r3,r5", 0));
    bench_run(&bench, 400000000);
    for (size_t at = 0; at < 4; at++) {
        const struct counter_value *value = &bench.counters.items[at].values[0];
        cr_expect_eq(value->enabled_ns, 400000000u);
        cr_expect_eq(value->running_ns, 200000000u);
        cr_expect_eq(value->value, 200000u);
    }
    bench_done(&bench);
}

Test(counters, a_group_is_read_at_once_through_its_leader)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4}, "{cycles,r1,task-clock},r2", 0));
    cr_assert(bench.counters.items[1].leader == 0 && bench.counters.items[2].leader == 0);
    cr_assert_eq(bench.counters.items[3].leader, 3);
    cr_assert(bench.counters.items[0].attr.read_format & PERF_FORMAT_GROUP);
    cr_assert_not(bench.counters.items[3].attr.read_format & PERF_FORMAT_GROUP);
    cr_assert(bench.counters.items[0].attr.disabled && !bench.counters.items[1].attr.disabled);
    bench_run(&bench, 10000000);
    cr_assert_eq(bench.counters.items[0].values[0].value, 10000000u);
    cr_assert_eq(bench.counters.items[1].values[0].value, 10000u);
    cr_assert_eq(bench.counters.items[2].values[0].value, 10000000u);
    cr_assert_eq(bench.counters.items[3].values[0].value, 10000u);
    bench_done(&bench);
}

Test(counters, a_weak_group_that_does_not_fit_is_counted_apart)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 2}, "{r1,r2,r3}:W,r5", 0));
    bench_run(&bench, 400000000);
    for (size_t at = 0; at < 3; at++) {
        cr_expect(bench.counters.items[at].group_broken && bench.counters.items[at].leader == at);
        cr_expect_eq(bench.counters.items[at].refusal, REFUSAL_NONE);
        cr_expect_eq(bench.counters.items[at].values[0].running_ns, 200000000u);
    }
    cr_expect_not(bench.counters.items[3].group_broken);
    bench_done(&bench);
}

Test(counters, a_strong_group_that_does_not_fit_loses_its_last_members)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 2}, "{r1,r2,r3}", 0));
    cr_expect_eq(bench.counters.items[2].refusal, REFUSAL_UNSUPPORTED);
    cr_expect_eq(bench.counters.items[2].open_errno, EINVAL);
    struct error reason;
    counter_refusal_explain(&bench.counters.items[2], &bench.root, &reason);
    bench_run(&bench, 10000000);
    cr_expect_eq(bench.counters.items[1].values[0].value, 10000u);
    cr_expect_not(bench.counters.items[2].values[0].valid);
    bench_done(&bench);
}

Test(counters, a_group_goes_on_without_an_unsupported_leader)
{
    static const struct simulated_rule no_pmu[] = {TASK_CLOCK, SWITCHES};
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.rules = no_pmu, .rule_count = 2},
                         "{cycles,task-clock,context-switches}", 0));
    cr_expect_eq(bench.counters.items[0].open_errno, ENOENT);
    cr_expect(bench.counters.items[1].leader == 1 && bench.counters.items[2].leader == 1);
    bench_run(&bench, 10000000);
    cr_expect_eq(bench.counters.items[1].values[0].value, 10000000u);
    cr_expect_eq(bench.counters.items[2].values[0].value, 10u);
    bench_done(&bench);
}

Test(counters, what_never_gets_a_counter_has_not_run)
{
    static const struct simulated_rule watchdog[] = {
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_NEVER}, TASK_CLOCK};
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.rules = watchdog, .rule_count = 2, .programmable = 1},
                         "cycles,cycles:D", 0));
    bench_run(&bench, 10000000);
    cr_expect(bench.counters.items[0].values[0].valid);
    cr_expect_eq(bench.counters.items[0].values[0].enabled_ns, 10000000u);
    cr_expect_eq(bench.counters.items[0].values[0].running_ns, 0u);
    cr_expect_eq(bench.counters.items[1].values[0].running_ns, 0u); /* pinned: read says end of file */
    bench_done(&bench);
}

Test(counters, refusals_are_told_apart)
{
    static const struct {
        int open_errno;
        enum counter_refusal refusal;
    } cases[] = {
        {ENOENT, REFUSAL_UNSUPPORTED}, {EOPNOTSUPP, REFUSAL_UNSUPPORTED}, {EINVAL, REFUSAL_UNSUPPORTED},
        {ENODEV, REFUSAL_UNSUPPORTED}, {EACCES, REFUSAL_PERMISSION},      {EPERM, REFUSAL_PERMISSION},
        {EBUSY, REFUSAL_BUSY},         {ENOSPC, REFUSAL_BUSY},            {ENOSYS, REFUSAL_NO_SYSCALL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct bench bench;
        struct error reason;
        cr_assert(bench_open(&bench, (struct simulated_plan){.open_errno = cases[at].open_errno}, "cycles,{r1,r2}", 0));
        for (size_t event = 0; event < 3; event++) {
            cr_expect_eq(bench.counters.items[event].refusal, cases[at].refusal, "%s", strerror(cases[at].open_errno));
            counter_refusal_explain(&bench.counters.items[event], &bench.root, &reason);
            cr_expect(reason.kind != ERROR_NONE && reason.message[0]);
        }
        cr_expect_eq(counters_open_count(&bench.counters), 0);
        bench_done(&bench);
    }
}

Test(counters, without_the_right_the_kernel_is_left_out_and_it_shows)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4, .kernel_refused = true},
                         "cycles,task-clock,context-switches,cycles:u,r1", 0));
    cr_expect_str_eq(bench.counters.items[0].name, "cycles:u");
    cr_expect(bench.counters.items[0].user_only && bench.counters.items[0].attr.exclude_kernel);
    cr_expect_str_eq(bench.counters.items[1].name, "task-clock:u");
    /* switches happen in the kernel: without it the count would be 0 whatever happened */
    cr_expect_eq(bench.counters.items[2].refusal, REFUSAL_PERMISSION);
    cr_expect_str_eq(bench.counters.items[2].name, "context-switches");
    cr_expect(!bench.counters.items[3].user_only && strcmp(bench.counters.items[3].name, "cycles:u") == 0);
    bench_done(&bench);
}

Test(counters, by_cpu_there_is_a_cell_for_each)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4, .cpus = 3}, "cycles,{task-clock,r1}", 3));
    cr_assert_eq(simulated_pmu_open_count(bench.pmu), 9);
    bench_run(&bench, 10000000);
    for (size_t cell = 0; cell < 3; cell++) {
        cr_expect_eq(bench.counters.items[0].values[cell].value, 10000000u);
        cr_expect_eq(bench.counters.items[2].values[cell].value, 10000u);
    }
    cr_expect_not(bench.counters.items[0].attr.enable_on_exec);
    bench_done(&bench);
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4, .cpus = 2, .cpu_refused = true}, "cycles", 2));
    cr_expect_eq(bench.counters.items[0].refusal, REFUSAL_PERMISSION);
    bench_done(&bench);
}

Test(counters, too_many_descriptors_say_how_many)
{
    struct bench bench;
    cr_assert_not(bench_open(&bench, (struct simulated_plan){.programmable = 4, .fd_limit = 5, .cpus = 4}, "cycles,r1,r2", 4));
    cr_expect_eq(bench.err.kind, ERROR_LIMIT);
    cr_expect(strstr(bench.err.message, "12 event descriptors"), "%s", bench.err.message);
    cr_expect(strstr(bench.err.hint, "ulimit -n"));
    bench_done(&bench);
}

/* With the capability held, a refusal isn't for want of it. */
Test(counters, a_refusal_of_root_is_not_explained_by_a_missing_capability)
{
    char path[1024];
    struct sysroot root;
    struct error reason;
    static const int any_cpu[] = {-1};
    struct event_spec spec = {.name = "ftrace:function"};
    struct counter counter = {.spec = &spec, .name = spec.name, .refusal = REFUSAL_PERMISSION, .open_errno = EPERM, .cpus = any_cpu};
    if (!test_machine("kvm-host", path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    counter_refusal_explain(&counter, &root, &reason);
    cr_expect(strstr(reason.message, "although this process holds CAP_PERFMON"), "%s", reason.message);
    cr_assert(test_machine("zen4-host", path, sizeof(path)));
    sysroot_init(&root, path);
    counter_refusal_explain(&counter, &root, &reason);
    cr_expect(strstr(reason.message, "CAP_PERFMON is missing"), "%s", reason.message);
}

/* Arm's driver leaves out a leader that is off and doesn't wait for an exec when it checks that the group fits. */
Test(counters, leader_of_a_group_on_cpus_is_seen_by_arms_check)
{
    struct bench bench;
    cr_assert(bench_open(&bench, (struct simulated_plan){.programmable = 4, .cpus = 2}, "{cycles,r1},r2", 2));
    cr_expect(bench.counters.items[0].attr.enable_on_exec);
    cr_expect_not(bench.counters.items[1].attr.enable_on_exec);
    cr_expect_not(bench.counters.items[2].attr.enable_on_exec);
    cr_expect_not(bench.counters.enabled_by_exec, "counters_enable must still be called");
    bench_done(&bench);
}
