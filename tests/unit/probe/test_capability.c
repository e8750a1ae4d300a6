/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is concluded from a PMU that is written down: the machine's facts from a fixture, the counters simulated. */
#include "test.h"

#include "base/vec.h"
#include "probe/capability/capability.h"
#include "probe/known_work.h"
#include "simulated_pmu.h"

#include <errno.h>

enum { CHAIN = 200000, LOADS = 200000, NO_COUNTER = 1 << 30 };

static uint64_t ip_in_spin(unsigned index)
{
    (void)index;
    const uint64_t near = (uintptr_t)known_work_chain; /* of the same source, on either side */
    for (uint64_t distance = 0; distance < 1 << 24; distance++) {
        if (known_work_in_spin(near + distance))
            return near + distance;
        if (known_work_in_spin(near - distance))
            return near - distance;
    }
    cr_assert_fail("the spinning code is nowhere near the rest of the known work");
    return 0;
}

static uint64_t ip_on_branch(unsigned index)
{
    (void)index;
    return known_work_sparse_branch_addr();
}

static uint64_t ip_after_branch(unsigned index)
{
    return known_work_sparse_branch_addr() + 2 + index % 40;
}

#define HARDWARE(number, ...) {.type = PERF_TYPE_HARDWARE, .config = (number), .needs = SIMULATED_HARDWARE, __VA_ARGS__}
#define RAW(number, ...)      {.type = PERF_TYPE_RAW, .config = (number), .needs = SIMULATED_HARDWARE, __VA_ARGS__}

#define SOFTWARE_RULES                                                                                            \
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .per_window = 256},                         \
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES, .per_window = 5},                      \
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .thread_clock = true},                       \
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .per_window = 5500000, .samples_per_window = 150, \
     .sample_ip_of = ip_in_spin, .register_value = UINT64_C(0x706c756d62)},                                       \
    {.type = PERF_TYPE_BREAKPOINT, .any_config = true, .per_window = 500},                                        \
    {.type = PERF_TYPE_TRACEPOINT, .any_config = true, .per_window = 200}

#define CYCLES_RULE                                                                                               \
    HARDWARE(PERF_COUNT_HW_CPU_CYCLES, .fixed = 2, .per_window = 600000, .samples_per_window = 40,                \
             .sample_ip_of = ip_in_spin, .branch_stack = true)
#define INSTRUCTIONS_RULE HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, .fixed = 1, .per_window = 3 * CHAIN + 12)
#define REF_RULE          HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES, .fixed = 4, .counters = NO_COUNTER, .per_window = 500000)
#define BRANCHES_RULE(ip_of)                                                                                      \
    HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, .per_window = CHAIN + 3, .precise_max = 3, .samples_per_window = 40, .sample_ip_of = (ip_of))
#define CACHE_RULE {.type = PERF_TYPE_HW_CACHE, .any_config = true, .needs = SIMULATED_HARDWARE, .per_window = LOADS + 20}

static struct capabilities *measured(const char *machine_name, const struct simulated_plan *given, struct simulated_pmu **ret_pmu)
{
    static struct capabilities capabilities;
    struct simulated_plan plan = *given;
    struct sysroot root;
    struct machine machine;
    struct error err = {0};
    char path[1024];
    if (!test_machine(machine_name, path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    plan.step_ns = 1000000;
    plan.cpus = plan.cpus ? plan.cpus : 8;
    struct simulated_pmu *pmu = simulated_pmu_new(&plan);
    cr_assert(machine_read(&root, NULL, &machine, &err));
    machine.live = true; /* its facts, with a kernel of ours */
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 1ul << 30);
    machine.perf_door_errno = fd < 0 ? errno : 0;
    machine.perf_door = machine.perf_door_errno == EINVAL ? PERF_DOOR_OPEN : machine.perf_door_errno == ENOSYS ? PERF_DOOR_ABSENT : PERF_DOOR_REFUSED;
    capabilities_measure(&capabilities, kernel, &root, &machine);
    cr_assert_eq(simulated_pmu_open_count(pmu), 0u, "every descriptor is closed again");
    machine_done(&machine);
    *ret_pmu = pmu;
    return &capabilities;
}

static void never_opened_slots(const struct simulated_pmu *pmu)
{
    cr_assert_not(simulated_pmu_was_tried(pmu, PERF_TYPE_RAW, 0x0400));
    for (uint64_t config = 0x8000; config <= 0x8f00; config += 0x100)
        cr_assert_not(simulated_pmu_was_tried(pmu, PERF_TYPE_RAW, config), "config %lx", config);
}

#define ASSERT_VERDICT(all, id, wanted)                                                                            \
    cr_assert_eq((all)->items[id].verdict, wanted, "%s: %s (%s, %s)", capability_key(id),                          \
                 capability_verdict_name((all)->items[id].verdict), (all)->items[id].measured, (all)->items[id].reason)
#define ASSERT_BLOCKER(all, id, wanted)                                                                            \
    cr_assert_eq((all)->items[id].blocker, wanted, "%s: %s (%s)", capability_key(id), blocker_name((all)->items[id].blocker), (all)->items[id].reason)

Test(capability, a_full_pmu)
{
    struct simulated_rule rules[] = {
        SOFTWARE_RULES, CYCLES_RULE, INSTRUCTIONS_RULE, REF_RULE, BRANCHES_RULE(ip_on_branch), CACHE_RULE,
        HARDWARE(PERF_COUNT_HW_BRANCH_MISSES, .per_window = 10),
        RAW(0x00c0, .per_window = 3 * CHAIN + 12), RAW(0x81d0, .per_window = LOADS + 20),
        RAW(0x0400, .fixed = 8, .per_window = 4000000),
        {.type = PERF_TYPE_RAW, .config = 0x8000, .config_mask = 0xf0ff, .needs = SIMULATED_METRIC, .per_window = 1000000},
    };
    rules[6].branch_from = known_work_sparse_branch_addr(); /* the loop's only branch, in cycles' branch stacks */
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 8, .fixed = 4}, &pmu);
    static const enum capability_id working[] = {CAPABILITY_CYCLES, CAPABILITY_INSTRUCTIONS, CAPABILITY_BRANCHES, CAPABILITY_CACHE, CAPABILITY_RAW, CAPABILITY_RAW_MODEL,
                                                 CAPABILITY_GROUP_SIZE, CAPABILITY_TOPDOWN, CAPABILITY_SAMPLING, CAPABILITY_PRECISE, CAPABILITY_BRANCH_STACK, CAPABILITY_SOFTWARE,
                                                 CAPABILITY_TRACEPOINT, CAPABILITY_BREAKPOINT};
    for (size_t at = 0; at < array_count(working); at++)
        ASSERT_VERDICT(all, working[at], CAPABILITY_WORKS);
    /* Rates against the clock: a loaded machine makes them "partly", never wrong or blocked. */
    static const enum capability_id timed[] = {CAPABILITY_CPU_CLOCK, CAPABILITY_USER_REGISTERS};
    for (size_t at = 0; at < array_count(timed); at++)
        if (all->items[timed[at]].verdict != CAPABILITY_PARTLY)
            ASSERT_VERDICT(all, timed[at], CAPABILITY_WORKS);
    ASSERT_VERDICT(all, CAPABILITY_GENERIC, CAPABILITY_PARTLY);
    ASSERT_VERDICT(all, CAPABILITY_CALL_CHAIN, CAPABILITY_WRONG); /* the simulation's chains lack our caller */
    cr_assert(fact_equals(&all->group_size, 8));
    cr_assert(fact_is(&all->fixed_counters, "cycles instructions ref-cycles"), "%s", all->fixed_counters.text);
    cr_assert_eq(all->tier, PMU_TIER_FULL);
    simulated_pmu_free(pmu);
}

Test(capability, four_fixed_counters_without_perf_metrics_are_left_alone)
{
    struct simulated_rule rules[] = {
        SOFTWARE_RULES, CYCLES_RULE, INSTRUCTIONS_RULE, BRANCHES_RULE(ip_on_branch), CACHE_RULE,
        RAW(0x00c0, .per_window = 3 * CHAIN + 12), RAW(0x81d0, .per_window = LOADS + 20)};
    rules[8].precise_max = 0;
    rules[6].branch_stack = false;
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("icelake-aws-guest", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 8, .fixed = 4}, &pmu);
    never_opened_slots(pmu);
    ASSERT_VERDICT(all, CAPABILITY_TOPDOWN, CAPABILITY_BLOCKED);
    ASSERT_BLOCKER(all, CAPABILITY_TOPDOWN, BLOCKER_HYPERVISOR);
    ASSERT_BLOCKER(all, CAPABILITY_PRECISE, BLOCKER_HYPERVISOR);
    cr_assert_eq(all->items[CAPABILITY_PRECISE].sys_errno, EOPNOTSUPP);
    ASSERT_BLOCKER(all, CAPABILITY_BRANCH_STACK, BLOCKER_HYPERVISOR);
    cr_assert_eq(all->tier, PMU_TIER_FULL, "%s", all->tier_reason);
    cr_assert(strstr(all->tier_reason, "no precise sampling"));
    simulated_pmu_free(pmu);
}

Test(capability, a_filtered_pmu_is_architectural_only)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES, CYCLES_RULE, INSTRUCTIONS_RULE, BRANCHES_RULE(ip_on_branch), RAW(0x00c0, .per_window = 3 * CHAIN), RAW(0x81d0, .per_second = 0)};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("icelake-aws-guest", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 8, .fixed = 3}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_RAW_MODEL, CAPABILITY_WRONG);
    ASSERT_BLOCKER(all, CAPABILITY_RAW_MODEL, BLOCKER_HYPERVISOR);
    cr_assert_eq(all->tier, PMU_TIER_ARCHITECTURAL);
    simulated_pmu_free(pmu);
}

Test(capability, no_pmu_is_the_hypervisors_doing)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("tdx-guest", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .cpus = 4}, &pmu);
    never_opened_slots(pmu);
    ASSERT_BLOCKER(all, CAPABILITY_CYCLES, BLOCKER_HYPERVISOR);
    cr_assert_eq(all->items[CAPABILITY_CYCLES].sys_errno, ENOENT);
    cr_assert(strstr(all->items[CAPABILITY_CYCLES].reason, "0AH"));
    cr_assert(strstr(all->items[CAPABILITY_CYCLES].remedy, "PERFMON"), "a TD's remedy");
    cr_assert_eq(all->tier, PMU_TIER_NONE);
    cr_assert(strstr(all->saying, "ESTIMATED"));
    simulated_pmu_free(pmu);
}

Test(capability, a_seccomp_filter_is_not_a_missing_pmu)
{
    static const int errnos[] = {EPERM, EACCES, ENOSYS};
    for (size_t at = 0; at < array_count(errnos); at++) {
        struct simulated_pmu *pmu;
        struct capabilities *all = measured("container-cgroup-v1", &(struct simulated_plan){.open_errno = errnos[at]}, &pmu);
        ASSERT_BLOCKER(all, CAPABILITY_CYCLES, BLOCKER_SECCOMP);
        ASSERT_BLOCKER(all, CAPABILITY_CPU_CLOCK, BLOCKER_SECCOMP);
        cr_assert(strstr(all->items[CAPABILITY_CYCLES].remedy, "--cap-add PERFMON"), "%s", all->items[CAPABILITY_CYCLES].remedy);
        cr_assert_eq(all->tier, PMU_TIER_NOT_MEASURED, "nobody knows what the PMU can do");
        cr_assert(strstr(all->saying, "No samples"));
        simulated_pmu_free(pmu);
    }
}

Test(capability, paranoid_names_the_level_it_needs)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("sapphire-rapids-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .kernel_refused = true, .cpu_refused = true}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_SOFTWARE, CAPABILITY_PARTLY);
    ASSERT_BLOCKER(all, CAPABILITY_KERNEL_SIDE, BLOCKER_PARANOID);
    cr_assert(strstr(all->items[CAPABILITY_KERNEL_SIDE].remedy, "perf_event_paranoid=1"));
    ASSERT_BLOCKER(all, CAPABILITY_SYSTEM_WIDE, BLOCKER_PARANOID);
    cr_assert(strstr(all->items[CAPABILITY_SYSTEM_WIDE].remedy, "perf_event_paranoid=0"));
    simulated_pmu_free(pmu);
}

/* Debian's and Ubuntu's level 3 and above: the kernel itself refuses everything, after its look at the flags. */
Test(capability, paranoid_above_2_refuses_even_user_events)
{
    struct simulated_rule rules[] = {{.type = PERF_TYPE_HARDWARE, .any_config = true, .open_errno = EACCES}, {.type = PERF_TYPE_SOFTWARE, .any_config = true, .open_errno = EACCES},
                                     {.type = PERF_TYPE_BREAKPOINT, .any_config = true, .open_errno = EACCES}};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("zen4-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules)}, &pmu);
    static const enum capability_id refused[] = {CAPABILITY_CYCLES, CAPABILITY_SOFTWARE, CAPABILITY_CPU_CLOCK, CAPABILITY_BREAKPOINT};
    for (size_t at = 0; at < array_count(refused); at++) {
        ASSERT_BLOCKER(all, refused[at], BLOCKER_PARANOID);
        cr_assert(strstr(all->items[refused[at]].remedy, "perf_event_paranoid=2"), "%s", all->items[refused[at]].remedy);
    }
    cr_assert_eq(all->tier, PMU_TIER_NOT_MEASURED);
    simulated_pmu_free(pmu);
}

Test(capability, another_user_of_the_pmu_shrinks_the_group)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES, CYCLES_RULE, INSTRUCTIONS_RULE, BRANCHES_RULE(ip_on_branch)};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 4, .fixed = 2, .taken = 1}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_GROUP_SIZE, CAPABILITY_PARTLY);
    ASSERT_BLOCKER(all, CAPABILITY_GROUP_SIZE, BLOCKER_OTHER_USER);
    cr_assert(fact_equals(&all->group_size_accepted, 4));
    cr_assert(fact_equals(&all->group_size, 3));
    simulated_pmu_free(pmu);
}

Test(capability, an_event_that_never_runs_is_not_zero)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES, {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_NEVER}};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 4}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_CYCLES, CAPABILITY_BLOCKED);
    ASSERT_BLOCKER(all, CAPABILITY_CYCLES, BLOCKER_OTHER_USER);
    cr_assert_not(all->items[CAPABILITY_CYCLES].counted.known);
    simulated_pmu_free(pmu);
}

Test(capability, an_implausible_count_does_not_pass)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES, HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, .per_window = 12345), CYCLES_RULE};
    rules[0].per_window = 13; /* page faults */
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 4, .fixed = 2}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_INSTRUCTIONS, CAPABILITY_WRONG);
    cr_assert(fact_equals(&all->items[CAPABILITY_INSTRUCTIONS].counted, 12345));
    ASSERT_VERDICT(all, CAPABILITY_SOFTWARE, CAPABILITY_WRONG);
    simulated_pmu_free(pmu);
}

Test(capability, precise_is_judged_by_skid_not_by_opening)
{
    struct simulated_rule rules[] = {SOFTWARE_RULES, CYCLES_RULE, INSTRUCTIONS_RULE, BRANCHES_RULE(ip_after_branch)};
    struct simulated_pmu *pmu;
    struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules), .programmable = 4, .fixed = 2}, &pmu);
    ASSERT_VERDICT(all, CAPABILITY_SAMPLING, CAPABILITY_WORKS);
    ASSERT_VERDICT(all, CAPABILITY_PRECISE, CAPABILITY_WRONG);
    cr_assert(fact_equals(&all->skid_percent, 100));
    simulated_pmu_free(pmu);
}

Test(capability, every_errno_gets_a_reason_of_its_own)
{
    static const struct {
        int sys_errno;
        enum blocker blocker;
    } cases[] = {{ENODEV, BLOCKER_HARDWARE}, {EOPNOTSUPP, BLOCKER_HARDWARE}, {EINVAL, BLOCKER_KERNEL_VERSION}, {EBUSY, BLOCKER_OTHER_USER},
                 {EMFILE, BLOCKER_LIMIT},    {EPERM, BLOCKER_LOCKDOWN},      {E2BIG, BLOCKER_KERNEL_VERSION},  {EIO, BLOCKER_UNKNOWN}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct simulated_rule rules[] = {SOFTWARE_RULES, {.type = PERF_TYPE_HARDWARE, .any_config = true, .open_errno = cases[at].sys_errno}};
        struct simulated_pmu *pmu;
        struct capabilities *all = measured("kvm-host", &(struct simulated_plan){.rules = rules, .rule_count = array_count(rules)}, &pmu);
        ASSERT_BLOCKER(all, CAPABILITY_CYCLES, cases[at].blocker);
        cr_assert_eq(all->items[CAPABILITY_CYCLES].sys_errno, cases[at].sys_errno);
        cr_assert(all->items[CAPABILITY_CYCLES].reason[0]);
        simulated_pmu_free(pmu);
    }
}

Test(capability, keys_are_unique_and_found)
{
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++) {
        cr_assert(capability_key(id) && capability_title(id) && capability_use(id));
        cr_assert_eq(capability_by_key(capability_key(id)), id);
    }
    cr_assert_eq(capability_by_key("nothing"), CAPABILITY_COUNT);
}
