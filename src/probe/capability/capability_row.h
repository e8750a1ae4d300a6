/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How one class of event proves itself: what the rows of the table in capability.c share.
 *
 * A row's measure() opens, runs and judges; it leaves a verdict by exactly one of the capability_* calls below. Private
 * to src/probe/capability*.c.
 */
#ifndef PLUMB_PROBE_CAPABILITY_CAPABILITY_ROW_H
#define PLUMB_PROBE_CAPABILITY_CAPABILITY_ROW_H

#include "probe/capability/capability.h"
#include "probe/capability/trial.h"

/* Iterations of the chain of dependent multiplications that most counting rows run. */
enum { CAPABILITY_CHAIN_ITERATIONS = 200000 };

struct bench {
    const struct kernel *kernel;
    const struct sysroot *root;
    const struct machine *machine;
    struct capabilities *all; /* rows before this one are already judged */
};

/* What a row needs besides the event itself: which reasons can apply. */
enum need {
    NEED_NOTHING = 0,
    NEED_PMU = 1,        /* a core PMU */
    NEED_INTERRUPT = 2,  /* sampling on it */
    NEED_KERNEL = 4,     /* sees kernel mode: paranoid <= 1 */
    NEED_ALL_CPUS = 8,   /* other processes on a CPU: paranoid <= 0 */
    NEED_TRACEFS = 16,
    NEED_BPF = 32,
    NEED_PTRACE = 64,
    NEED_PROBE = 128,    /* uprobes: CAP_SYS_ADMIN (of some kernels CAP_PERFMON) whatever paranoid says */
    NEED_BRANCHES = 256,
    NEED_PRECISE = 512
};

__attribute__((format(printf, 2, 3))) void capability_works(struct capability *capability, const char *format, ...);
__attribute__((format(printf, 2, 3))) void capability_wrong(struct capability *capability, const char *format, ...);
__attribute__((format(printf, 2, 3))) void capability_not_measured(struct capability *capability, const char *format,
                                                                   ...);
/* Blocked, with the layer the caller knows; remedy by capability_remedy afterwards. */
__attribute__((format(printf, 3, 4))) void capability_blocked(struct capability *capability, enum blocker blocker,
                                                              const char *format, ...);
__attribute__((format(printf, 2, 3))) void capability_remedy(struct capability *capability, const char *format, ...);

/*
 * Blocked as this failed trial says: the errno, its stage, the needs and the machine's facts decide on layer and
 * remedy.
 */
void capability_explain(struct capability *capability, const struct bench *bench, const struct trial *trial,
                        unsigned needs);
/* The same from a bare errno of the call called `call`. */
void capability_explain_errno(struct capability *capability, const struct bench *bench, const char *call, int sys_errno,
                              unsigned needs);
/* The event opened, ran, and never was on a counter. */
void capability_never_ran(struct capability *capability, const struct bench *bench);
/* The event counted zero where it must not: filtered by the hypervisor, or not what this processor calls so. */
void capability_counted_nothing(struct capability *capability, const struct bench *bench);

/* Judge a count of known work: within [low, high] it works. Fills expected and counted. */
void capability_judge(struct capability *capability, const struct bench *bench, const struct trial_count *count,
                      uint64_t expected, double low, double high, const char *what);

/* perf's type number of the core PMU, and whether this machine has one. */
uint32_t bench_core_type(const struct bench *bench);
bool bench_has_core(const struct bench *bench);
/* Blocked, when /sys isn't there to describe `what` ("this PMU"); false when it is. */
bool bench_lacks_sysfs(const struct bench *bench, struct capability *capability, const char *what);

typedef void measure(const struct bench *bench, struct capability *capability);

measure measure_cycles, measure_instructions, measure_branches, measure_generic, measure_cache, measure_raw,
    measure_raw_model, measure_group_size, measure_topdown, measure_uncore, measure_energy, measure_msr,
    measure_software;
measure measure_sampling, measure_precise, measure_precise_arm, measure_branch_stack, measure_cpu_clock,
    measure_user_registers, measure_call_chain, measure_user_stack, measure_kernel_side;
measure measure_tracepoint, measure_breakpoint, measure_uprobe, measure_bpf, measure_single_step;
measure measure_system_wide, measure_other_process, measure_cgroup, measure_kernel_symbols;

#endif
