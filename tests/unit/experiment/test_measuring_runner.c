/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every quantity of a run, on a PMU that is written down here. */
#include "test.h"

#include "base/vec.h"
#include "experiment/measuring_runner.h"
#include "simulated_pmu.h"

#include <errno.h>
#include <math.h>

#define HARDWARE(event, rate) {.type = PERF_TYPE_HARDWARE, .config = (event), .needs = SIMULATED_HARDWARE, .per_second = (rate)}
#define CACHE_MISSES(cache) ((uint64_t)(cache) | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 | (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct simulated_rule rules[] = {
    HARDWARE(PERF_COUNT_HW_CPU_CYCLES, 2e9),
    HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, 3e9),
    HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 5e8),
    HARDWARE(PERF_COUNT_HW_BRANCH_MISSES, 5e6),
    HARDWARE(PERF_COUNT_HW_CACHE_MISSES, 7e5),
    {.type = PERF_TYPE_HW_CACHE, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 42000},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 2000},
};

static struct measured cell_of(const struct measured *cells, const char *name)
{
    for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
        if (strcmp(measuring_quantities[at].name, name) == 0)
            return cells[at];
    return not_measured("no such quantity");
}

static struct measured clock_of_3_ghz(void)
{
    return measured_as(3e9);
}

/* The simulation doesn't see the program's exec: its counters count from when they are opened. */
static const struct kernel *simulated;

static int open_started(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
    struct perf_event_attr started = *attr;
    started.disabled = started.enable_on_exec = 0;
    return simulated->perf_event_open(context, &started, pid, cpu, group_fd, flags);
}

static void run_once(struct simulated_pmu *pmu, struct measured *cells)
{
    simulated = simulated_pmu_kernel(pmu);
    struct kernel kernel = *simulated;
    kernel.perf_event_open = open_started;
    struct sysroot root;
    sysroot_init(&root, NULL);
    struct measuring_setup setup = {.kernel = &kernel, .root = &root, .clock_hertz = clock_of_3_ghz};
    struct measuring_runner *runner = measuring_runner_new(&setup);
    struct experiment_runner interface = measuring_runner_interface(runner);
    char *argv[] = {"sh", "-c", "echo hello; echo world > /dev/null", NULL};
    struct experiment_arm arm = {.label = "A", .argv = argv};
    struct error err = {0};
    int status = -1;
    cr_assert(interface.run(interface.context, &arm, 0, cells, &status, &err), "%s", err.message);
    cr_assert_eq(status, 0);
    const struct run_fact *facts;
    cr_assert(measuring_runner_facts(runner, &facts) > 0);
    measuring_runner_free(runner);
}

Test(measuring_runner, counters_and_what_follows_from_them)
{
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = array_count(rules), .programmable = 16, .step_ns = 1000000});
    struct measured cells[MEASURING_QUANTITY_COUNT];
    run_once(pmu, cells);
    static const char *const always[] = {"wall", "cpu", "user", "system", "max-rss", "minor-faults", "voluntary-switches",
                                         "written-bytes", "read-bytes", "io-calls", "clock"};
    for (size_t at = 0; at < array_count(always); at++)
        cr_assert(cell_of(cells, always[at]).known, "%s: %s", always[at], cell_of(cells, always[at]).why_not);
    cr_assert_eq(cell_of(cells, "written-bytes").value, 12);
    cr_assert_eq(cell_of(cells, "clock").value, 3e9);
    static const char *const counted[] = {"cycles", "instructions", "branches", "branch-misses", "cache-misses", "dtlb-load-misses",
                                          "itlb-load-misses", "l1i-misses", "migrations"};
    for (size_t at = 0; at < array_count(counted); at++)
        cr_assert(cell_of(cells, counted[at]).known && cell_of(cells, counted[at]).value > 0, "%s: %s", counted[at],
                  cell_of(cells, counted[at]).why_not);
    double ipc = cell_of(cells, "instructions").value / cell_of(cells, "cycles").value;
    double misses = cell_of(cells, "branch-misses").value / cell_of(cells, "branches").value;
    cr_assert(fabs(cell_of(cells, "ipc").value - ipc) < 1e-9 && ipc > 1);
    cr_assert(fabs(cell_of(cells, "branch-miss-ratio").value - misses) < 1e-9 && misses < 0.1);
    cr_assert_str_eq(cell_of(cells, "clock-running").why_not, "it took less than 0.1 s of user time");
    struct measured huge = cell_of(cells, "huge-pages"); /* known on a machine so busy that it took longer */
    cr_assert(huge.known || strcmp(huge.why_not, "it ended before the first look at its pages, after 20 ms") == 0);
    simulated_pmu_free(pmu);
}

Test(measuring_runner, without_a_pmu_the_rest_is_there)
{
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.open_errno = ENOSYS});
    struct measured cells[MEASURING_QUANTITY_COUNT];
    run_once(pmu, cells);
    cr_assert(cell_of(cells, "wall").known && cell_of(cells, "written-bytes").known);
    cr_assert(!cell_of(cells, "cycles").known && !cell_of(cells, "ipc").known);
    cr_assert_str_eq(cell_of(cells, "ipc").why_not, cell_of(cells, "instructions").why_not);
    simulated_pmu_free(pmu);
}
