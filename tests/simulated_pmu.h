/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A PMU that is not there: a `struct kernel` whose counters, refusals and clock a test writes down.
 *
 *     static const struct simulated_rule rules[] = {
 *         {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .per_second = 3e9},
 *         {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES, .open_errno = ENOENT},
 *     };
 *     struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
 *         .rules = rules, .rule_count = array_count(rules), .programmable = 4, .fixed = 3});
 *     ... code under test, given simulated_pmu_kernel(pmu) ...
 *     simulated_pmu_run(pmu, 100 * 1000 * 1000);   // 100 ms pass; enabled events count
 *
 * Simulated as Linux does it: groups are scheduled whole, in order, until the first that does not fit, and
 * rotate every mux interval (so time_running < time_enabled); pinned groups that do not fit read 0 bytes;
 * a group that could never fit is refused with EINVAL at open; group reads and every read_format bit;
 * ENABLE, DISABLE, RESET, ID, REFRESH, PERIOD, SET_OUTPUT, SET_FILTER; enable_on_exec; EMFILE; slots and topdown
 * events (slots must lead). Each (pid, cpu) pair has counters of its own.
 * PERF_METRICS: with plan.topdown_steps a topdown event tells, at each read of its group, the slots since the read before times
 * its field, which has 8 bits. SMT: with plan.sibling_busy any-thread events count the other thread's part. Extra registers
 * hold so many values of config1 as the plan says. A hybrid task moves between two kinds of core. Noise: simulated_rates.h.
 * Time passes in simulated_pmu_run, and by plan.step_ns each time a counter is disabled or read.
 * Sampling: an event with a period and a rule that says samples_per_window gets them in its mmap'ed ring buffer, or in that of
 * the event it was directed to, when it is disabled. Events that carry mmap2 records tell plan.code when the program calls exec. Does not support: BPF programs, ptrace (both answer plan.bpf_errno, plan.ptrace_errno or EPERM).
 */
#ifndef PLUMB_TESTS_SIMULATED_PMU_H
#define PLUMB_TESTS_SIMULATED_PMU_H

#include "system/kernel.h"

#include <stdbool.h>

enum simulated_needs {
    SIMULATED_SOFTWARE = 0, /* no counter: always scheduled */
    SIMULATED_HARDWARE,     /* a programmable counter, or the fixed one it names */
    SIMULATED_NEVER,        /* opens, and is never scheduled (the watchdog has its counter) */
    SIMULATED_METRIC        /* a topdown-* event: no counter, but slots must lead its group */
};

/* Registers beside the counters; an event that needs one says its value in config1. */
enum simulated_register { SIMULATED_NO_REGISTER, SIMULATED_OFFCORE, SIMULATED_FRONTEND, SIMULATED_LATENCY, SIMULATED_REGISTERS };

enum simulated_core { SIMULATED_ANY_CORE, SIMULATED_BIG_CORE, SIMULATED_SMALL_CORE };

enum simulated_steps {
    SIMULATED_NO_STEPS,
    SIMULATED_ROUNDED, /* field = share * 255, to the nearest */
    SIMULATED_CUT,     /* … what is below is lost */
};

/* Relative standard deviations; none without a seed. */
struct simulated_noise {
    uint64_t seed;     /* of this run */
    uint64_t block_ns; /* how long a draw lasts; 0: 4 ms */
    double shared;     /* of all events together */
    double own;        /* of each event */
    double run;        /* of each event, for the whole run */
};

/* The first rule that matches an attr decides; no rule matches: ENOENT. */
struct simulated_rule {
    uint32_t type;
    uint64_t config;
    uint64_t config_mask; /* which bits of config must match; 0: all */
    bool any_config;      /* matches every config of the type */
    int open_errno;       /* refused with this; 0: opens */
    enum simulated_needs needs;
    unsigned counters;    /* bit n: programmable counter n will do; 0: any */
    unsigned fixed;       /* bit n: fixed counter n will do as well */
    double per_second;    /* counted while scheduled */
    bool faster_by_cpu;   /* on CPU n it counts n + 1 times as fast */
    uint64_t per_window;  /* counted besides, once for each enable..disable window in which it was scheduled */
    bool thread_clock;    /* besides: this thread's real CPU time over each window, in ns */
    const double *phases_per_second; /* instead of per_second: one rate per phase_ns, the last one stays */
    unsigned phase_count;
    uint64_t phase_ns;
    bool phases_repeat;   /* after the last comes the first */
    double sibling_per_second; /* counted besides while the core's other thread runs (any-thread events) */
    enum simulated_register needs_register;
    enum simulated_core core; /* counted on this kind of core only */
    bool no_sampling;     /* a sampling period is refused with EOPNOTSUPP (no interrupt) */
    int precise_max;      /* precise_ip above it: EOPNOTSUPP */
    bool branch_stack;    /* PERF_SAMPLE_BRANCH_STACK allowed; else EOPNOTSUPP */
    bool whole_cpus_only; /* a task's is EINVAL: IBS before Linux 6.2 */
    bool no_filter;       /* leaving out kernel or user is EINVAL: IBS */
    unsigned samples_per_window;
    uint64_t sample_ip;   /* of each sample; sample_ip_of instead when set */
    uint64_t (*sample_ip_of)(unsigned index);
    uint64_t sample_addr;    /* PERF_SAMPLE_ADDR */
    uint64_t register_value; /* of every sampled user register; 0: 0x1000 + its number */
    uint64_t branch_from;    /* of every branch stack entry; 0: shortly before the ip */
};

/* The file that the program has mapped for execution. */
struct simulated_code {
    const char *path; /* NULL: none */
    uint64_t start, bytes, offset;
};

struct simulated_plan {
    const struct simulated_rule *rules;
    unsigned rule_count;
    unsigned programmable; /* counters of each context */
    unsigned fixed;        /* number of fixed counters */
    unsigned taken;        /* programmable counters another user holds: seen when scheduling, not at open */
    unsigned taken_fixed;  /* bit n: fixed counter n is held so */
    uint64_t mux_interval_ns; /* 0: 4 ms */
    uint64_t step_ns;         /* passes at each disable and each read; 0: none */
    int open_errno;        /* every call is refused so, whatever its arguments: ENOSYS, EPERM of a seccomp filter; 0: none */
    bool kernel_refused;   /* perf_event_paranoid 2: counting the kernel is EACCES */
    bool cpu_refused;      /* perf_event_paranoid 1: pid -1 is EACCES */
    unsigned cpus;         /* 0: one; a cpu at or above is ENODEV */
    unsigned fd_limit;     /* 0: none; more open descriptors: EMFILE */
    int bpf_errno, ptrace_errno; /* 0: EPERM */
    enum simulated_steps topdown_steps;
    bool sibling_busy;     /* the core's other thread runs */
    unsigned registers[SIMULATED_REGISTERS]; /* values at a time; 0: any number */
    uint64_t core_move_ns; /* a hybrid task: this long on a big core, then on a small one, and so on; 0: it stays */
    struct simulated_noise noise;
    struct simulated_code code;
};

struct simulated_pmu;

struct simulated_pmu *simulated_pmu_new(const struct simulated_plan *plan); /* keeps plan->rules */
void simulated_pmu_free(struct simulated_pmu *pmu);
const struct kernel *simulated_pmu_kernel(struct simulated_pmu *pmu);

/* Let time pass. */
void simulated_pmu_run(struct simulated_pmu *pmu, uint64_t duration_ns);
/* The measured program calls exec: enable_on_exec events of pid (and of its own context, 0) start. */
void simulated_pmu_exec(struct simulated_pmu *pmu, pid_t pid);

/* From now on others hold so many programmable counters, and these fixed ones. */
void simulated_pmu_taken_set(struct simulated_pmu *pmu, unsigned counters, unsigned fixed);
/* Tasks that don't live any more count nothing from now on. */
void simulated_pmu_tasks_end(struct simulated_pmu *pmu, bool (*lives)(pid_t pid));
/* From now on so much time passes at each disable and each read. */
void simulated_pmu_step_set(struct simulated_pmu *pmu, uint64_t step_ns);

/* What the first rule of this type and config would have counted, on its kind of core, had it been on since the beginning. */
double simulated_pmu_truth(const struct simulated_pmu *pmu, uint32_t type, uint64_t config);
uint64_t simulated_pmu_now_ns(const struct simulated_pmu *pmu);
unsigned simulated_pmu_open_count(const struct simulated_pmu *pmu); /* descriptors open now: leaks show here */
unsigned simulated_pmu_opens_tried(const struct simulated_pmu *pmu);
/* Whether an attr of this type and config was ever handed to perf_event_open (also when refused). */
bool simulated_pmu_was_tried(const struct simulated_pmu *pmu, uint32_t type, uint64_t config);
/* The largest precise_ip that anything was asked to be sampled with. */
unsigned simulated_pmu_precise_tried(const struct simulated_pmu *pmu);

#endif
