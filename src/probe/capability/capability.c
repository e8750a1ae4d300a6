/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/capability/capability.h"

#include "base/clock.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>

struct capability_row {
    const char *key, *title, *group, *use;
    measure *measure;
};

static const char counters[] = "hardware counters", sampling[] = "sampling", software[] = "software and tracing",
                  reach[] = "reach";

static const struct capability_row rows[CAPABILITY_COUNT] = {
    [CAPABILITY_CYCLES] = {"cycles", "cycles", counters, "clock rate, cycles per instruction", measure_cycles},
    [CAPABILITY_INSTRUCTIONS] = {"instructions", "instructions", counters, "instructions per cycle, work done",
                                 measure_instructions},
    [CAPABILITY_BRANCHES] = {"branches", "branches", counters, "branch and misprediction rates", measure_branches},
    [CAPABILITY_GENERIC] = {"generic", "perf's other generic events", counters, "perf stat's default list",
                            measure_generic},
    [CAPABILITY_CACHE] = {"cache", "cache events", counters, "misses by level", measure_cache},
    [CAPABILITY_RAW] = {"raw", "raw events (rNNN)", counters, "events by number", measure_raw},
    [CAPABILITY_RAW_MODEL] = {"raw-model", "model-specific raw events", counters, "the top-down tree, memory levels",
                              measure_raw_model},
    [CAPABILITY_GROUP_SIZE] = {"group-size", "events in one group", counters, "how much one pass can count together",
                               measure_group_size},
    [CAPABILITY_TOPDOWN] = {"topdown", "top-down by PERF_METRICS", counters, "top-down level 1 in one read",
                            measure_topdown},
    [CAPABILITY_UNCORE] = {"uncore", "memory controller (uncore)", counters, "DRAM bandwidth", measure_uncore},
    [CAPABILITY_ENERGY] = {"energy", "energy (RAPL)", counters, "joules", measure_energy},
    [CAPABILITY_MSR] = {"msr", "msr events (tsc, aperf, mperf)", counters, "clock rate without cycles", measure_msr},
    [CAPABILITY_SAMPLING] = {"sampling", "hardware events, sampled", sampling, "where cycles go, kernel included",
                             measure_sampling},
    [CAPABILITY_PRECISE] = {"precise", "precise sampling", sampling, "the very instruction that missed",
                            measure_precise},
    [CAPABILITY_BRANCH_STACK] = {"branch-stack", "branch stack (LBR)", sampling,
                                 "basic blocks, call stacks without frame pointers", measure_branch_stack},
    [CAPABILITY_CPU_CLOCK] = {"cpu-clock", "cpu-clock, sampled", sampling, "where time goes without a PMU",
                              measure_cpu_clock},
    [CAPABILITY_USER_REGISTERS] = {"user-registers", "samples with user registers", sampling,
                                   "data addresses without a PMU", measure_user_registers},
    [CAPABILITY_CALL_CHAIN] = {"call-chain", "call chains by frame pointer", sampling, "who called the hot function",
                               measure_call_chain},
    [CAPABILITY_USER_STACK] = {"user-stack", "copies of the user stack", sampling, "call chains by DWARF",
                               measure_user_stack},
    [CAPABILITY_SOFTWARE] = {"software", "software events", software, "faults, switches, time on CPU",
                             measure_software},
    [CAPABILITY_TRACEPOINT] = {"tracepoint", "tracepoints", software, "off-CPU time, system calls, VM exits",
                               measure_tracepoint},
    [CAPABILITY_BREAKPOINT] = {"breakpoint", "breakpoints", software, "calls of one function, writes to one address",
                               measure_breakpoint},
    [CAPABILITY_UPROBE] = {"uprobe", "user probes", software, "calls in any program", measure_uprobe},
    [CAPABILITY_BPF] = {"bpf", "BPF programs", software, "exits and off-CPU time summed in the kernel", measure_bpf},
    [CAPABILITY_SINGLE_STEP] = {"single-step", "single-stepping a child", software,
                                "branch predictability without a PMU", measure_single_step},
    [CAPABILITY_KERNEL_SIDE] = {"kernel-side", "kernel mode", reach, "the kernel's share and functions",
                                measure_kernel_side},
    [CAPABILITY_SYSTEM_WIDE] = {"system-wide", "all processes (-a, -C)", reach, "the whole machine",
                                measure_system_wide},
    [CAPABILITY_OTHER_PROCESS] = {"other-process", "another process (-p)", reach, "a running service",
                                  measure_other_process},
    [CAPABILITY_CGROUP] = {"cgroup", "a control group (-G)", reach, "a container or service by its group",
                           measure_cgroup},
    [CAPABILITY_KERNEL_SYMBOLS] = {"kernel-symbols", "kernel symbols", reach, "names of kernel functions",
                                   measure_kernel_symbols},
};

/* Rows that need an earlier row's verdict come after it. */
static const enum capability_id order[] = {
    CAPABILITY_SOFTWARE,    CAPABILITY_CYCLES,         CAPABILITY_INSTRUCTIONS, CAPABILITY_BRANCHES,
    CAPABILITY_GENERIC,     CAPABILITY_CACHE,          CAPABILITY_RAW,          CAPABILITY_RAW_MODEL,
    CAPABILITY_GROUP_SIZE,  CAPABILITY_TOPDOWN,        CAPABILITY_SAMPLING,     CAPABILITY_PRECISE,
    CAPABILITY_BRANCH_STACK, CAPABILITY_UNCORE,        CAPABILITY_ENERGY,       CAPABILITY_MSR,
    CAPABILITY_CPU_CLOCK,   CAPABILITY_USER_REGISTERS, CAPABILITY_CALL_CHAIN,   CAPABILITY_USER_STACK,
    CAPABILITY_TRACEPOINT,  CAPABILITY_BREAKPOINT,     CAPABILITY_UPROBE,       CAPABILITY_BPF,
    CAPABILITY_SINGLE_STEP, CAPABILITY_KERNEL_SIDE,    CAPABILITY_SYSTEM_WIDE,  CAPABILITY_OTHER_PROCESS,
    CAPABILITY_CGROUP,      CAPABILITY_KERNEL_SYMBOLS,
};
_Static_assert(array_count(order) == CAPABILITY_COUNT, "every capability is measured");

static const char *const verdict_names[] = {
    [CAPABILITY_NOT_MEASURED] = "not measured", [CAPABILITY_WORKS] = "works", [CAPABILITY_PARTLY] = "partly",
    [CAPABILITY_WRONG] = "wrong",               [CAPABILITY_BLOCKED] = "blocked",
};

static const char *const blocker_names[BLOCKER_COUNT] = {
    [BLOCKER_NONE] = "none",
    [BLOCKER_HARDWARE] = "hardware",
    [BLOCKER_HYPERVISOR] = "hypervisor",
    [BLOCKER_KERNEL_CONFIG] = "kernel configuration",
    [BLOCKER_KERNEL_VERSION] = "kernel version",
    [BLOCKER_PARANOID] = "perf_event_paranoid",
    [BLOCKER_CAPABILITY] = "capability",
    [BLOCKER_SECCOMP] = "seccomp",
    [BLOCKER_SANDBOX] = "sandbox or emulator",
    [BLOCKER_LOCKDOWN] = "lockdown or security module",
    [BLOCKER_CGROUP] = "cgroup",
    [BLOCKER_LIMIT] = "resource limit",
    [BLOCKER_OTHER_USER] = "another user of the PMU",
    [BLOCKER_TRACER] = "another tracer",
    [BLOCKER_MOUNT] = "mount",
    [BLOCKER_UNKNOWN] = "unknown",
};

static const struct {
    const char *key, *name;
} tiers[] = {
    [PMU_TIER_NOT_MEASURED] = {"not-measured", "not measured"},
    [PMU_TIER_NONE] = {"none", "no PMU"},
    [PMU_TIER_ARCHITECTURAL] = {"architectural", "architectural-only vPMU"},
    [PMU_TIER_FULL] = {"full", "full PMU"},
};

static const char saying_nothing[] = "nothing was opened, so nothing is promised";
static const char saying_files[] =
    "time on and off the CPU, faults, page sizes, throttling and steal from /proc and /sys. No samples, no counts: not "
    "which code, and not why";
static const char saying_sampling[] = "hot code, call chains and stalled instructions by cpu-clock sampling; data "
                                      "addresses and working sets from sampled "
                                      "registers; off-CPU time, faults, page sizes, throttling. Bottleneck classes are "
                                      "ESTIMATED; no slot percentages, no "
                                      "miss counts";
static const char saying_architectural[] =
    "cycles, instructions, IPC, clock rate and generic branch or cache rates, besides all that works without a PMU. No "
    "top-down tree, no model-specific events: those classes stay ESTIMATED";
static const char saying_full[] =
    "the top-down tree, cache and memory levels and miss rates from counters, as far as the rows above say";

static bool worked(const struct capabilities *all, enum capability_id id)
{
    return all->items[id].verdict == CAPABILITY_WORKS || all->items[id].verdict == CAPABILITY_PARTLY;
}

/* Whether the PMU was not even reached: then nobody knows what it can do. */
static bool was_refused(const struct capability *cycles)
{
    return cycles->blocker == BLOCKER_PARANOID || cycles->blocker == BLOCKER_CAPABILITY ||
           cycles->blocker == BLOCKER_SECCOMP || cycles->blocker == BLOCKER_SANDBOX ||
           cycles->blocker == BLOCKER_LOCKDOWN || cycles->blocker == BLOCKER_LIMIT;
}

static void tier_judge(struct capabilities *all, const struct machine *machine)
{
    bool basic = worked(all, CAPABILITY_CYCLES) || worked(all, CAPABILITY_INSTRUCTIONS);
    const struct capability *cycles = &all->items[CAPABILITY_CYCLES], *model = &all->items[CAPABILITY_RAW_MODEL];
    if (basic && worked(all, CAPABILITY_RAW_MODEL)) {
        bool guest = virtualisation_is_guest(&machine->virtualisation);
        all->tier = PMU_TIER_FULL;
        all->saying = saying_full;
        snprintf(all->tier_reason, sizeof(all->tier_reason), "model-specific events count right%s",
                 guest && !worked(all, CAPABILITY_PRECISE) ? "; a guest's vPMU: no precise sampling" : "");
        return;
    }
    if (basic) {
        all->tier = PMU_TIER_ARCHITECTURAL;
        all->saying = saying_architectural;
        snprintf(all->tier_reason, sizeof(all->tier_reason),
                 "cycles or instructions count right, model-specific events don't: %.180s", model->reason);
        return;
    }
    all->tier = was_refused(cycles) ? PMU_TIER_NOT_MEASURED : PMU_TIER_NONE;
    all->saying = worked(all, CAPABILITY_CPU_CLOCK) ? saying_sampling : saying_files;
    snprintf(all->tier_reason, sizeof(all->tier_reason), "%.280s", cycles->reason);
}

/* A chain of dependent multiplications takes 3 cycles each on every x86 since Nehalem and on Neoverse (2 on some). */
static void clock_measure(struct fact_number *clock_khz, const struct machine *machine)
{
    if (!known_work_is_exact() || machine->cpu.vendor_kind == MICROARCHITECTURE_ARM ||
        machine->cpu.vendor_kind == MICROARCHITECTURE_UNKNOWN_VENDOR) {
        fact_number_absent(clock_khz, "the latency of a multiplication is not known for this processor");
        return;
    }
    const uint64_t iterations = 400000, latency_cycles = 3;
    uint64_t best_ns = UINT64_MAX;
    for (int round = 0; round < 4; round++) { /* the fastest round was interrupted least */
        uint64_t start = clock_ns(CLOCK_MONOTONIC);
        known_work_chain(iterations);
        uint64_t took = clock_ns(CLOCK_MONOTONIC) - start;
        best_ns = took < best_ns ? took : best_ns;
    }
    if (best_ns)
        fact_number_set(clock_khz, (int64_t)((double)(iterations * latency_cycles) * 1e6 / (double)best_ns));
}

static void none_measured(struct capabilities *all, const char *why)
{
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++)
        capability_not_measured(&all->items[id], "%s", why);
    fact_number_absent(&all->clock_khz, "%s", why);
    snprintf(all->tier_reason, sizeof(all->tier_reason), "%s", why);
}

void capabilities_measure(struct capabilities *capabilities, const struct kernel *kernel, const struct sysroot *root,
                          const struct machine *machine)
{
    struct bench bench = {kernel, root, machine, capabilities};
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    *capabilities = (struct capabilities){.tier = PMU_TIER_NOT_MEASURED, .saying = saying_nothing};
    const char *why = machine->live ? "not reached" : "a snapshot";
    fact_number_absent(&capabilities->group_size, "%s", why);
    fact_number_absent(&capabilities->group_size_accepted, "%s", why);
    fact_word_absent(&capabilities->fixed_counters, "%s", why);
    fact_number_absent(&capabilities->skid_percent, "%s", why);
    fact_number_absent(&capabilities->sample_rate_hz, "%s", why);
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++) {
        capabilities->items[id].id = id;
        fact_number_absent(&capabilities->items[id].expected, "not one number");
        fact_number_absent(&capabilities->items[id].counted, "not one number");
    }
    if (!machine->live) {
        none_measured(capabilities, why);
        return;
    }
    for (size_t at = 0; at < array_count(order); at++)
        rows[order[at]].measure(&bench, &capabilities->items[order[at]]);
    clock_measure(&capabilities->clock_khz, machine);
    tier_judge(capabilities, machine);
    capabilities->duration_ns = clock_ns(CLOCK_MONOTONIC) - start;
}

const char *capability_key(enum capability_id id)
{
    return rows[id].key;
}

const char *capability_title(enum capability_id id)
{
    return rows[id].title;
}

const char *capability_group(enum capability_id id)
{
    return rows[id].group;
}

const char *capability_use(enum capability_id id)
{
    return rows[id].use;
}

const char *capability_verdict_name(enum capability_verdict verdict)
{
    return verdict_names[verdict];
}

const char *blocker_name(enum blocker blocker)
{
    return blocker_names[blocker];
}

const char *capability_errno_name(int sys_errno)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{EPERM, "EPERM"},     {EACCES, "EACCES"}, {ENOENT, "ENOENT"}, {EOPNOTSUPP, "EOPNOTSUPP"},
                 {ENODEV, "ENODEV"},   {EINVAL, "EINVAL"}, {EMFILE, "EMFILE"}, {ENFILE, "ENFILE"},
                 {ENOSYS, "ENOSYS"},   {ENOSPC, "ENOSPC"}, {EBUSY, "EBUSY"},   {ENOMEM, "ENOMEM"},
                 {ESRCH, "ESRCH"},     {EBADF, "EBADF"},   {E2BIG, "E2BIG"},   {EAGAIN, "EAGAIN"},
                 {ENODATA, "ENODATA"}, {EFAULT, "EFAULT"}};
    for (size_t at = 0; at < array_count(names); at++)
        if (names[at].number == sys_errno)
            return names[at].name;
    return sys_errno ? "other" : NULL;
}

const char *pmu_tier_name(enum pmu_tier tier)
{
    return tiers[tier].name;
}

const char *pmu_tier_key(enum pmu_tier tier)
{
    return tiers[tier].key;
}

enum capability_id capability_by_key(const char *key)
{
    for (enum capability_id id = 0; id < CAPABILITY_COUNT; id++)
        if (strcmp(rows[id].key, key) == 0)
            return id;
    return CAPABILITY_COUNT;
}
