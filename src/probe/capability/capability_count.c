/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The classes that count one event of the core or the kernel: each against work of a known amount. */
#include "base/clock.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>

enum {
    CHAIN_ITERATIONS = CAPABILITY_CHAIN_ITERATIONS,
    LOAD_ITERATIONS = 200000,
    TOUCHED_PAGES = 256,
    SLEEPS = 5
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
 * A dependent multiplication takes 3 to 5 cycles (2 on some Arm cores): between 1 and 40 an iteration allows for a
 * clock that counts a stolen or slowed core, and refuses a counter that does not count cycles.
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
        bool may_be_none =
            events[at].config == PERF_COUNT_HW_BRANCH_MISSES || events[at].config == PERF_COUNT_HW_CACHE_MISSES;
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
        snprintf(capability->reason, sizeof(capability->reason), "%s%s%s%s%s", bad[0] ? "not on this processor: " : "",
                 bad, bad[0] && silent[0] ? "; " : "", silent[0] ? "counted 0 throughout: " : "", silent);
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
 * Intel since Haswell: MEM_INST_RETIRED.ALL_LOADS (MEM_UOPS_RETIRED before Skylake), D0H/81H, on the big cores; the
 * small cores number it the same. AMD Zen: LS_DISPATCH.LD_DISPATCH, 29H/01H. Arm (recommended): MEM_ACCESS_RD, 66H.
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
    uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!count_software(bench, capability, PERF_COUNT_SW_TASK_CLOCK, work_chain, false, &time))
        return;
    double spent = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
    if ((double)time.value > spent * 1.02 + 20000 || (double)time.value < spent * 0.05) {
        capability_wrong(capability, "task-clock says %llu ns where the thread's clock says %.0f",
                         (unsigned long long)time.value, spent);
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
        capability_wrong(capability, "%llu context switches counted over %d sleeps", (unsigned long long)switches.value,
                         SLEEPS);
        return;
    }
    snprintf(capability->measured, sizeof(capability->measured), "%llu page faults for %d pages; task-clock agrees%s",
             (unsigned long long)faults.value, TOUCHED_PAGES,
             capability->verdict == CAPABILITY_WORKS ? "; switches seen" : "");
}
