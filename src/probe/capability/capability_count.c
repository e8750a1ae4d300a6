/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes that count: each against work of a known amount. */
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>

enum {
    CHAIN_ITERATIONS = 200000,
    LOAD_ITERATIONS = 200000,
    TOUCHED_PAGES = 256,
    SLEEPS = 5,
    GROUP_MOST = 24
};

static void work_chain(void *context)
{
    (void)context;
    known_work_chain(CHAIN_ITERATIONS);
}

static void work_loads(void *context)
{
    known_work_loads(LOAD_ITERATIONS, context);
}

static void work_pages(void *context)
{
    (void)context;
    known_work_touch_pages(TOUCHED_PAGES);
}

static bool is_arm(const struct bench *bench)
{
    return bench->machine->cpu.vendor_kind == MICROARCHITECTURE_ARM;
}

static void work_sleeps(void *context)
{
    (void)context;
    known_work_sleeps(SLEEPS);
}

static bool count_chain(const struct bench *bench, struct capability *capability, uint32_t type, uint64_t config,
                        struct trial_count *count)
{
    struct trial trial;
    struct perf_event_attr attr = trial_attr(type, config);
    if (trial_measure(&trial, bench->kernel, &attr, work_chain, NULL, count))
        return true;
    capability_explain(capability, bench, &trial, NEED_PMU);
    return false;
}

/*
 * A dependent multiplication takes 3 to 5 cycles (2 on some Arm cores): between 1 and 40 an iteration allows for a clock
 * that counts a stolen or slowed core, and refuses a counter that does not count cycles.
 */
void measure_cycles(const struct bench *bench, struct capability *capability)
{
    struct trial_count count;
    if (!count_chain(bench, capability, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &count))
        return;
    const uint64_t expected = 3 * CHAIN_ITERATIONS;
    capability_judge(capability, bench, &count, expected, CHAIN_ITERATIONS, 40.0 * CHAIN_ITERATIONS,
                     "expected of a chain of multiplications");
}

/* The few instructions around the loop, and a little for interrupts that some processors count as user's. */
static double slack(uint64_t expected)
{
    return 3000 + 0.01 * (double)expected;
}

void measure_instructions(const struct bench *bench, struct capability *capability)
{
    struct trial_count count;
    if (!count_chain(bench, capability, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &count))
        return;
    const uint64_t expected = (uint64_t)KNOWN_WORK_CHAIN_INSTRUCTIONS * CHAIN_ITERATIONS;
    double high = known_work_is_exact() ? (double)expected + slack(expected) : 20.0 * (double)expected;
    capability_judge(capability, bench, &count, expected, (double)expected * 0.99, high, "instructions executed");
}

void measure_branches(const struct bench *bench, struct capability *capability)
{
    struct trial_count count;
    if (!count_chain(bench, capability, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, &count))
        return;
    const uint64_t expected = (uint64_t)KNOWN_WORK_CHAIN_BRANCHES * CHAIN_ITERATIONS;
    capability_judge(capability, bench, &count, expected, (double)expected * 0.99,
                     (double)expected + slack(expected), "branches executed");
}

/* The rest of perf's generic names: whether each opens and gets a counter. Their amounts are not known exactly. */
void measure_generic(const struct bench *bench, struct capability *capability)
{
    static const struct {
        uint64_t config;
        const char *name;
    } events[] = {
        {PERF_COUNT_HW_BRANCH_MISSES, "branch-misses"},
        {PERF_COUNT_HW_CACHE_REFERENCES, "cache-references"},
        {PERF_COUNT_HW_CACHE_MISSES, "cache-misses"},
        {PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"},
        {PERF_COUNT_HW_BUS_CYCLES, "bus-cycles"},
        {PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend"},
        {PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend"},
    };
    char good[200] = "", bad[200] = "", silent[200] = "";
    struct capability first_failure = *capability;
    for (size_t at = 0; at < array_count(events); at++) {
        struct capability each = *capability;
        struct trial_count count;
        bool ran = count_chain(bench, &each, PERF_TYPE_HARDWARE, events[at].config, &count) && count.running_ns;
        bool may_be_none = events[at].config == PERF_COUNT_HW_BRANCH_MISSES || events[at].config == PERF_COUNT_HW_CACHE_MISSES;
        char *list = !ran ? bad : count.value || may_be_none ? good : silent;
        size_t used = strlen(list);
        snprintf(list + used, sizeof(good) - used, "%s%s", used ? " " : "", events[at].name);
        if (!ran && !first_failure.reason[0])
            first_failure = each;
    }
    if (!good[0] && !silent[0]) {
        *capability = first_failure;
        return;
    }
    if (good[0])
        capability_works(capability, "%s", good);
    if (bad[0] || silent[0]) {
        capability->verdict = good[0] ? CAPABILITY_PARTLY : CAPABILITY_WRONG;
        capability->blocker = good[0] ? BLOCKER_NONE : BLOCKER_UNKNOWN;
        snprintf(capability->reason, sizeof(capability->reason), "%s%s%s%s%s", bad[0] ? "not on this processor: " : "", bad,
                 bad[0] && silent[0] ? "; " : "", silent[0] ? "counted 0 throughout: " : "", silent);
    }
}

void measure_cache(const struct bench *bench, struct capability *capability)
{
    const uint64_t data = 1, config = PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
                                      PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16;
    struct perf_event_attr attr = trial_attr(PERF_TYPE_HW_CACHE, config);
    struct trial trial;
    struct trial_count count;
    if (!trial_measure(&trial, bench->kernel, &attr, work_loads, (void *)&data, &count)) {
        capability_explain(capability, bench, &trial, NEED_PMU);
        return;
    }
    capability_judge(capability, bench, &count, LOAD_ITERATIONS, LOAD_ITERATIONS * 0.98, LOAD_ITERATIONS * 1.5 + 5000,
                     "L1 data loads executed");
}

/* ---- raw events: by number ------------------------------------------------------------------------------ */

/* INST_RETIRED: event C0H on Intel (architectural) and AMD, 08H on Arm. */
void measure_raw(const struct bench *bench, struct capability *capability)
{
    enum microarchitecture_vendor vendor = bench->machine->cpu.vendor_kind;
    if (vendor == MICROARCHITECTURE_UNKNOWN_VENDOR) {
        capability_not_measured(capability, "no event number is known for this processor");
        return;
    }
    struct trial_count count;
    uint64_t config = vendor == MICROARCHITECTURE_ARM ? 0x08 : 0xc0;
    if (!count_chain(bench, capability, bench_core_type(bench), config, &count))
        return;
    const uint64_t expected = (uint64_t)KNOWN_WORK_CHAIN_INSTRUCTIONS * CHAIN_ITERATIONS;
    double high = known_work_is_exact() ? (double)expected + slack(expected) : 20.0 * (double)expected;
    capability_judge(capability, bench, &count, expected, (double)expected * 0.99, high, "instructions executed");
}

/*
 * A load event that no architecture promises, by vendor:
 * Intel since Haswell: MEM_INST_RETIRED.ALL_LOADS (MEM_UOPS_RETIRED before Skylake), D0H/81H, on the big cores; the small
 * cores number it the same. AMD Zen: LS_DISPATCH.LD_DISPATCH, 29H/01H. Arm (recommended): MEM_ACCESS_RD, 66H.
 */
static bool model_event(const struct cpu_identity *cpu, uint64_t *ret_config)
{
    if (!cpu->microarchitecture)
        return false;
    switch (cpu->vendor_kind) {
    case MICROARCHITECTURE_INTEL:
        *ret_config = 0x81d0;
        return true;
    case MICROARCHITECTURE_AMD:
    case MICROARCHITECTURE_HYGON:
        *ret_config = 0x0129;
        return view_starts(view_of(cpu->microarchitecture->key), "ZEN");
    case MICROARCHITECTURE_ARM:
        *ret_config = 0x66;
        return true;
    default:
        return false;
    }
}

void measure_raw_model(const struct bench *bench, struct capability *capability)
{
    const uint64_t data = 1;
    uint64_t config;
    if (!bench_has_core(bench)) {
        capability_explain_errno(capability, bench, "perf_event_open", ENOENT, NEED_PMU);
        capability->sys_errno = 0; /* not asked: there is nothing to ask */
        return;
    }
    if (!model_event(&bench->machine->cpu, &config)) {
        capability_not_measured(capability, "this microarchitecture is not in plumb's table");
        return;
    }
    struct perf_event_attr attr = trial_attr(bench_core_type(bench), config);
    struct trial trial;
    struct trial_count count;
    if (!trial_measure(&trial, bench->kernel, &attr, work_loads, (void *)&data, &count)) {
        capability_explain(capability, bench, &trial, NEED_PMU);
        return;
    }
    capability_judge(capability, bench, &count, LOAD_ITERATIONS, LOAD_ITERATIONS * 0.98, LOAD_ITERATIONS * 1.5 + 5000,
                     "loads executed");
}

/* ---- groups --------------------------------------------------------------------------------------------- */

struct group {
    struct trial members[GROUP_MOST];
    size_t count;
};

static bool group_add(struct group *group, const struct kernel *kernel, uint32_t type, uint64_t config)
{
    struct trial_target target = TRIAL_SELF;
    struct perf_event_attr attr = trial_attr(type, config);
    attr.disabled = group->count == 0;
    attr.enable_on_exec = attr.disabled; /* we never exec; without it Arm's driver leaves the leader out of "does it fit" */
    target.group_fd = group->count ? group->members[0].fd : -1;
    return group->count < GROUP_MOST && trial_open(&group->members[group->count], kernel, &attr, &target) && ++group->count;
}

static void group_close(struct group *group)
{
    while (group->count) /* members first: the leader's closing would set them free to run alone */
        trial_done(&group->members[--group->count]);
}

static bool group_work(struct group *group)
{
    if (!trial_start(&group->members[0]))
        return false;
    known_work_chain(CHAIN_ITERATIONS);
    return trial_stop(&group->members[0]);
}

/* Whether all members were on the PMU together over the work. */
static bool group_runs(struct group *group)
{
    struct trial_count count;
    if (!group_work(group))
        return false;
    for (size_t at = 0; at < group->count; at++)
        if (!trial_read(&group->members[at], &count) || !count.running_ns || !count.value)
            return false;
    return true;
}

/* Events that a full group still takes have a counter of their own. */
static void fixed_counters_find(const struct bench *bench, uint64_t filler, size_t programmable)
{
    static const struct {
        uint64_t config;
        const char *name;
    } events[] = {{PERF_COUNT_HW_CPU_CYCLES, "cycles"}, {PERF_COUNT_HW_INSTRUCTIONS, "instructions"}, {PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"}};
    char found[80] = "";
    for (size_t at = 0; at < array_count(events); at++) {
        struct group group = {.count = 0};
        if (events[at].config == filler)
            continue;
        while (group.count < programmable && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
            ;
        size_t used = strlen(found);
        if (group.count == programmable && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, events[at].config) && group_runs(&group))
            snprintf(found + used, sizeof(found) - used, "%s%s", used ? " " : "", events[at].name);
        group_close(&group);
    }
    fact_word_set(&bench->all->fixed_counters, view_of(found));
}

/*
 * Branches have no fixed counter anywhere, so each member takes a programmable one; where they can't be counted,
 * instructions (on Arm they have no fixed one either).
 */
void measure_group_size(const struct bench *bench, struct capability *capability)
{
    const struct capability *rows = bench->all->items, *counted_row = &rows[CAPABILITY_BRANCHES];
    uint64_t filler = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
    if (counted_row->verdict != CAPABILITY_WORKS) {
        counted_row = &rows[CAPABILITY_INSTRUCTIONS];
        filler = PERF_COUNT_HW_INSTRUCTIONS;
    }
    if (counted_row->verdict != CAPABILITY_WORKS) {
        enum capability_id id = capability->id;
        *capability = *counted_row;
        capability->id = id;
        fact_number_absent(&capability->expected, "not one number");
        fact_number_absent(&capability->counted, "not one number");
        return;
    }
    struct group group = {.count = 0};
    while (group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
        ;
    size_t accepted = group.count;
    bool runs = accepted && group_runs(&group);
    group_close(&group);
    size_t counted = accepted;
    while (!runs && counted > 1) { /* accepted, but somebody else holds a counter: shrink until it is scheduled */
        counted--;
        while (group.count < counted && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
            ;
        runs = group.count == counted && group_runs(&group);
        group_close(&group);
    }
    if (!runs) {
        capability_never_ran(capability, bench);
        return;
    }
    fact_number_set(&bench->all->group_size, (int64_t)counted);
    fact_number_set(&bench->all->group_size_accepted, (int64_t)accepted);
    fixed_counters_find(bench, filler, counted);
    capability_works(capability, "%zu programmable counters at once%s%s", counted,
                     bench->all->fixed_counters.text[0] ? ", and on top: " : "", bench->all->fixed_counters.text);
    if (counted < accepted) {
        capability->verdict = CAPABILITY_PARTLY;
        capability->blocker = BLOCKER_OTHER_USER;
        snprintf(capability->reason, sizeof(capability->reason), "the kernel accepts groups of %zu and never schedules them: another user holds %zu", accepted, accepted - counted);
        capability_remedy(capability, "sudo sysctl kernel.nmi_watchdog=0; end other users of the PMU");
    }
}

/* ---- top-down by PERF_METRICS --------------------------------------------------------------------------- */

static bool topdown_encode(const struct pmu *core, const char *name, uint64_t *ret_config)
{
    const char *value = pmu_entry_find(&core->events, name);
    return value && pmu_event_encode(core, value, ret_config);
}

void measure_topdown(const struct bench *bench, struct capability *capability)
{
    static const char *const names[] = {"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"};
    const struct pmu *core = pmu_find_core(&bench->machine->pmus);
    if (!core && bench_has_core(bench) && bench_lacks_sysfs(bench, capability, "the PMU's slots"))
        return;
    if (!core) {
        capability_explain_errno(capability, bench, "perf_event_open", ENOENT, NEED_PMU);
        capability->sys_errno = 0;
        return;
    }
    if (!pmu_has_topdown(core)) {
        bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
        capability_blocked(capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE,
                           "sysfs does not list both 'slots' and 'topdown-retiring', so they are not opened (elsewhere that "
                           "has crashed guest kernels)");
        capability_remedy(capability, "top-down by general-purpose counters works where model-specific events do");
        return;
    }
    struct group group = {.count = 0};
    uint64_t values[array_count(names)] = {0}, config;
    for (size_t at = 0; at < array_count(names); at++)
        if (!topdown_encode(core, names[at], &config) || !group_add(&group, bench->kernel, bench_core_type(bench), config)) {
            struct trial failed = group.members[group.count];
            group_close(&group);
            capability_explain(capability, bench, &failed, NEED_PMU);
            return;
        }
    bool runs = group_work(&group);
    struct trial_count count;
    double sum = 0;
    for (size_t at = 0; at < group.count && runs; at++) {
        runs = trial_read(&group.members[at], &count);
        values[at] = count.value;
        sum += at ? (double)count.value : 0;
    }
    group_close(&group);
    double share = values[0] ? sum / (double)values[0] : 0;
    if (!runs || !values[0])
        capability_never_ran(capability, bench);
    else if (share < 0.9 || share > 1.1)
        capability_wrong(capability, "the four classes sum to %.0f %% of the slots", share * 100);
    else
        capability_works(capability, "the four classes sum to %.0f %% of %llu slots", share * 100, (unsigned long long)values[0]);
}

/* ---- other PMUs ----------------------------------------------------------------------------------------- */

/* Count a PMU's event on the CPU its cpumask names while this thread spins. */
static bool count_on_package(const struct bench *bench, struct capability *capability, const struct pmu *pmu,
                             const char *event, struct trial_count *count)
{
    int *cpus = NULL;
    size_t cpu_count = 0;
    uint64_t config;
    const char *value = pmu_entry_find(&pmu->events, event);
    struct trial_target target = {.pid = -1, .cpu = 0, .group_fd = -1};
    if (pmu->cpumask.known && cpu_list_parse(view_of(pmu->cpumask.text), &cpus, &cpu_count) && cpu_count)
        target.cpu = cpus[0];
    free(cpus);
    if (!value || !pmu->type.known || !pmu_event_encode(pmu, value, &config)) {
        capability_not_measured(capability, "sysfs describes %s/%s/ in a way plumb does not read", pmu->name, event);
        return false;
    }
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, config);
    attr.exclude_kernel = attr.exclude_hv = 0; /* these PMUs count everybody or refuse */
    struct trial trial;
    bool good = trial_open(&trial, bench->kernel, &attr, &target) && trial_start(&trial);
    uint64_t until = known_work_clock_ns() + 20000000;
    while (good && known_work_clock_ns() < until)
        known_work_chain(CHAIN_ITERATIONS / 10);
    good = good && trial_stop(&trial) && trial_read(&trial, count);
    trial_done(&trial);
    if (!good)
        capability_explain(capability, bench, &trial, NEED_ALL_CPUS);
    return good;
}

void measure_uncore(const struct bench *bench, struct capability *capability)
{
    static const struct {
        const char *pmu, *event;
    } controllers[] = {{"uncore_imc", "cas_count_read"}, {"uncore_imc", "data_reads"}, {"amd_umc", "cas_count"}};
    for (size_t at = 0; at < array_count(controllers); at++) {
        const struct pmu *pmu = pmu_find_prefix(&bench->machine->pmus, controllers[at].pmu);
        struct trial_count count;
        if (!pmu || !pmu_entry_find(&pmu->events, controllers[at].event))
            continue;
        if (!count_on_package(bench, capability, pmu, controllers[at].event, &count))
            return;
        if (count.value)
            capability_works(capability, "%s/%s/ counted %llu in 20 ms", pmu->name, controllers[at].event, (unsigned long long)count.value);
        else
            capability_wrong(capability, "%s/%s/ counted 0 in 20 ms of a running machine", pmu->name, controllers[at].event);
        return;
    }
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    if (bench_lacks_sysfs(bench, capability, "the memory controllers"))
        return;
    capability_blocked(capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_KERNEL_CONFIG, "sysfs lists no memory-controller PMU with events%s",
                       guest ? ": the hypervisor does not show the uncore" : "");
    if (!guest)
        capability_remedy(capability, "sudo modprobe %s, where the processor is a server's",
                          is_arm(bench) ? "arm_cmn (or the vendor's driver for its memory controller)" : "intel_uncore (or amd_uncore)");
}

void measure_energy(const struct bench *bench, struct capability *capability)
{
    const struct pmu *pmu = pmu_find(&bench->machine->pmus, "power");
    struct trial_count count;
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    if (!pmu && bench_lacks_sysfs(bench, capability, "the energy counters"))
        return;
    if (!pmu || !pmu_entry_find(&pmu->events, "energy-pkg")) {
        capability_blocked(capability, guest && !is_arm(bench) ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE, "sysfs lists no power/energy-pkg/ event%s",
                           is_arm(bench) ? ": RAPL is x86's" : guest ? ": the hypervisor does not show RAPL" : "");
        return;
    }
    if (!count_on_package(bench, capability, pmu, "energy-pkg", &count))
        return;
    double joules = (double)count.value * 0x1p-32; /* the driver counts in 2^-32 J; its .scale file says the same */
    double watts = count.enabled_ns ? joules * 1e9 / (double)count.enabled_ns : 0;
    if (watts > 0.05 && watts < 5000)
        capability_works(capability, "%.1f W while measuring", watts);
    else
        capability_wrong(capability, "%.3g W is no power of a running processor", watts);
}

void measure_msr(const struct bench *bench, struct capability *capability)
{
    const struct pmu *pmu = pmu_find(&bench->machine->pmus, "msr");
    uint64_t config;
    const char *value = pmu ? pmu_entry_find(&pmu->events, "tsc") : NULL;
    if (!pmu && bench_lacks_sysfs(bench, capability, "the msr PMU"))
        return;
    if (!value || !pmu->type.known || !pmu_event_encode(pmu, value, &config)) {
        capability_blocked(capability, is_arm(bench) ? BLOCKER_HARDWARE : BLOCKER_KERNEL_CONFIG, "sysfs lists no msr/tsc/ event%s",
                           is_arm(bench) ? ": these registers are x86's" : "");
        return;
    }
    struct trial trial;
    struct trial_count count;
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, config);
    attr.exclude_kernel = attr.exclude_hv = 0; /* the driver refuses any exclusion */
    if (!trial_measure(&trial, bench->kernel, &attr, work_chain, NULL, &count)) {
        capability_explain(capability, bench, &trial, NEED_KERNEL);
        return;
    }
    double gigahertz = count.running_ns ? (double)count.value / (double)count.running_ns : 0;
    if (gigahertz < 0.2 || gigahertz > 10) {
        capability_wrong(capability, "tsc ran at %.3g GHz", gigahertz);
        return;
    }
    bool both = pmu_entry_find(&pmu->events, "aperf") && pmu_entry_find(&pmu->events, "mperf");
    capability_works(capability, "tsc ran at %.2f GHz%s", gigahertz, both ? "; aperf and mperf are listed" : "");
    if (!both) {
        capability->verdict = CAPABILITY_PARTLY;
        snprintf(capability->reason, sizeof(capability->reason), "aperf and mperf are not listed: no clock rate from them");
    }
}

/* ---- software ------------------------------------------------------------------------------------------- */

static bool count_software(const struct bench *bench, struct capability *capability, uint64_t config, trial_work *work,
                           bool kernel_side, struct trial_count *count)
{
    struct trial trial;
    struct perf_event_attr attr = trial_attr(PERF_TYPE_SOFTWARE, config);
    attr.exclude_kernel = !kernel_side;
    if (trial_measure(&trial, bench->kernel, &attr, work, NULL, count))
        return true;
    capability_explain(capability, bench, &trial, kernel_side ? NEED_KERNEL : NEED_NOTHING);
    return false;
}

/*
 * Context switches happen in the kernel, so a user-only counter sees none: that half needs paranoid <= 1.
 * Page faults are exact: one a page touched, and a few for the mapping itself.
 */
void measure_software(const struct bench *bench, struct capability *capability)
{
    struct trial_count faults, time, switches;
    if (!count_software(bench, capability, PERF_COUNT_SW_PAGE_FAULTS, work_pages, false, &faults))
        return;
    capability_judge(capability, bench, &faults, TOUCHED_PAGES, TOUCHED_PAGES, TOUCHED_PAGES + 16, "pages touched");
    if (capability->verdict != CAPABILITY_WORKS)
        return;
    uint64_t before = known_work_thread_clock_ns();
    if (!count_software(bench, capability, PERF_COUNT_SW_TASK_CLOCK, work_chain, false, &time))
        return;
    double spent = (double)(known_work_thread_clock_ns() - before);
    if ((double)time.value > spent * 1.02 + 20000 || (double)time.value < spent * 0.05) {
        capability_wrong(capability, "task-clock says %llu ns where the thread's clock says %.0f", (unsigned long long)time.value, spent);
        return;
    }
    struct capability refused = *capability;
    if (!count_software(bench, &refused, PERF_COUNT_SW_CONTEXT_SWITCHES, work_sleeps, true, &switches)) {
        capability->verdict = CAPABILITY_PARTLY;
        capability->blocker = refused.blocker;
        capability->sys_errno = refused.sys_errno;
        snprintf(capability->reason, sizeof(capability->reason), "context switches: %.250s", refused.reason);
        snprintf(capability->remedy, sizeof(capability->remedy), "%s", refused.remedy);
    } else if (switches.value < SLEEPS) {
        capability_wrong(capability, "%llu context switches counted over %d sleeps", (unsigned long long)switches.value, SLEEPS);
        return;
    }
    snprintf(capability->measured, sizeof(capability->measured), "%llu page faults for %d pages; task-clock agrees%s",
             (unsigned long long)faults.value, TOUCHED_PAGES, capability->verdict == CAPABILITY_WORKS ? "; switches seen" : "");
}
