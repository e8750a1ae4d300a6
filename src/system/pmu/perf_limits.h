/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does the kernel's configuration let anybody measure: sysctls, build options, lockdown, tracefs? */
#ifndef PLUMB_SYSTEM_PMU_PERF_LIMITS_H
#define PLUMB_SYSTEM_PMU_PERF_LIMITS_H

#include "system/fact.h"

struct perf_limits {
    struct fact_number paranoid;             /* kernel.perf_event_paranoid; absent: no perf in this kernel */
    struct fact_number mlock_kib;            /* ring buffer memory a user may lock, per CPU */
    struct fact_number max_sample_rate;      /* Hz; the kernel lowers it when interrupts take too long */
    struct fact_number cpu_time_max_percent; /* 0: never lowered */
    struct fact_number max_stack, max_contexts_per_stack;
    struct fact_number kptr_restrict;
    struct fact_number unprivileged_bpf_disabled;
    struct fact_number bpf_jit_enable;
    struct fact_number ptrace_scope;         /* Yama; absent: no Yama */
    struct fact_word lockdown;               /* "none", "integrity", "confidentiality" */
    struct fact_number nmi_watchdog;
    struct fact_number aslr;                 /* kernel.randomize_va_space */
    struct fact_word tracefs;                /* where it is mounted */
    struct fact_word kernel_release;
    struct fact_number btf_bytes;            /* size of /sys/kernel/btf/vmlinux */
    struct fact_word rdpmc;                  /* cpu PMU's rdpmc setting */
};

void perf_limits_read(struct perf_limits *limits, const struct sysroot *root);

#endif
