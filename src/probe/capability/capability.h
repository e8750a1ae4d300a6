/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be measured here, told by measuring it: each class of event is opened, run over work of a known amount, and
 * its count or samples are judged.
 *
 * "Works" means that the number came out right, never that an open succeeded. For the rest: which layer stands in the
 * way and what would remove it. The results are plain values, so render/ may print them. Nothing here opens fixed
 * counter 3 (slots) unless sysfs lists both slots and topdown-retiring.
 */
#ifndef PLUMB_PROBE_CAPABILITY_CAPABILITY_H
#define PLUMB_PROBE_CAPABILITY_CAPABILITY_H

#include "system/machine.h"

enum capability_id {
    CAPABILITY_CYCLES,
    CAPABILITY_INSTRUCTIONS,
    CAPABILITY_BRANCHES,
    CAPABILITY_GENERIC,       /* the other names that perf calls hardware events */
    CAPABILITY_CACHE,
    CAPABILITY_RAW,           /* by number: an architectural event */
    CAPABILITY_RAW_MODEL,     /* by number: an event of this microarchitecture only */
    CAPABILITY_GROUP_SIZE,
    CAPABILITY_TOPDOWN,
    CAPABILITY_UNCORE,
    CAPABILITY_ENERGY,
    CAPABILITY_MSR,
    CAPABILITY_SAMPLING,      /* hardware events, sampled */
    CAPABILITY_PRECISE,
    CAPABILITY_BRANCH_STACK,
    CAPABILITY_CPU_CLOCK,     /* cpu-clock, sampled */
    CAPABILITY_USER_REGISTERS,
    CAPABILITY_CALL_CHAIN,
    CAPABILITY_USER_STACK,
    CAPABILITY_SOFTWARE,
    CAPABILITY_TRACEPOINT,
    CAPABILITY_BREAKPOINT,
    CAPABILITY_UPROBE,
    CAPABILITY_BPF,
    CAPABILITY_SINGLE_STEP,
    CAPABILITY_KERNEL_SIDE,
    CAPABILITY_SYSTEM_WIDE,
    CAPABILITY_OTHER_PROCESS,
    CAPABILITY_CGROUP,
    CAPABILITY_KERNEL_SYMBOLS,
    CAPABILITY_COUNT
};

enum capability_verdict {
    CAPABILITY_NOT_MEASURED = 0, /* reason says why; a snapshot, for one */
    CAPABILITY_WORKS,
    CAPABILITY_PARTLY,           /* what came out right is in `measured`, the rest in `reason` */
    CAPABILITY_WRONG,            /* opened and ran, but the number is not plausible */
    CAPABILITY_BLOCKED
};

enum blocker {
    BLOCKER_NONE = 0,
    BLOCKER_HARDWARE,      /* this processor has no such thing */
    BLOCKER_HYPERVISOR,    /* it has, and the hypervisor hides or filters it */
    BLOCKER_KERNEL_CONFIG, /* the kernel was built without it */
    BLOCKER_KERNEL_VERSION,
    BLOCKER_PARANOID,      /* kernel.perf_event_paranoid, and no capability that overrides it */
    BLOCKER_CAPABILITY,
    BLOCKER_SECCOMP,
    BLOCKER_SANDBOX,       /* something else than the kernel answers its system calls */
    BLOCKER_LOCKDOWN,      /* kernel lockdown or a security module */
    BLOCKER_CGROUP,
    BLOCKER_LIMIT,         /* RLIMIT_NOFILE, locked memory */
    BLOCKER_OTHER_USER,    /* somebody else holds the counters or debug registers */
    BLOCKER_TRACER,     /* a debugger: a process has one tracer */
    BLOCKER_MOUNT,         /* tracefs is not mounted or not readable */
    BLOCKER_UNKNOWN,
    BLOCKER_COUNT
};

struct capability {
    enum capability_id id;
    enum capability_verdict verdict;
    enum blocker blocker;
    int sys_errno;        /* of the call that failed; 0: none did */
    char measured[200];   /* "1000 of 1000 calls counted" */
    char reason[300];     /* why it does not work */
    char remedy[400];     /* what would remove that; empty: nothing known */
    struct fact_number expected, counted; /* where the known amount is one number */
};

enum pmu_tier {
    PMU_TIER_NOT_MEASURED = 0, /* a snapshot, or no permission to ask */
    PMU_TIER_NONE,
    PMU_TIER_ARCHITECTURAL, /* cycles and instructions; model-specific events are hidden or filtered */
    PMU_TIER_FULL
};

struct capabilities {
    struct capability items[CAPABILITY_COUNT]; /* by id */
    enum pmu_tier tier;
    char tier_reason[300];
    const char *saying; /* what plumb can say with what works here */
    struct fact_number group_size; /* hardware events that were really counted together, fixed counters aside */
    struct fact_number group_size_accepted; /* that the kernel accepted in one group */
    struct fact_word fixed_counters;        /* events that came on top of a full group */
    struct fact_number skid_percent;        /* samples on the very instruction, precise sampling */
    struct fact_number sample_rate_hz;      /* cpu-clock samples a second really delivered when 10000 were asked */
    struct fact_number clock_khz;           /* processor clock while measuring, by dependent multiplications */
    uint64_t duration_ns;
};

/*
 * Measure all of them. On a machine that is not live every verdict is CAPABILITY_NOT_MEASURED ("a snapshot").
 * Costs some 0.2 s and touches no other process but a child of its own.
 */
void capabilities_measure(struct capabilities *capabilities, const struct kernel *kernel, const struct sysroot *root,
                          const struct machine *machine);

const char *capability_key(enum capability_id id);     /* "precise": in JSON and --require */
const char *capability_title(enum capability_id id);   /* "precise sampling" */
const char *capability_group(enum capability_id id);   /* "hardware counters" */
const char *capability_use(enum capability_id id);     /* what plumb does with it */
const char *capability_verdict_name(enum capability_verdict verdict);
const char *blocker_name(enum blocker blocker);
const char *capability_errno_name(int sys_errno);      /* "EPERM"; NULL for 0 */
const char *pmu_tier_name(enum pmu_tier tier);         /* "full PMU" */
const char *pmu_tier_key(enum pmu_tier tier);          /* "full" */

/* The id whose key this is, or CAPABILITY_COUNT. */
enum capability_id capability_by_key(const char *key);

#endif
