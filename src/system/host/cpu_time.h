/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where has the machine's CPU time gone, and how much did the host steal?
 *
 * Units: clock ticks of /proc/stat (USER_HZ, a hundredth of a second on every Linux port in use).
 */
#ifndef PLUMB_SYSTEM_HOST_CPU_TIME_H
#define PLUMB_SYSTEM_HOST_CPU_TIME_H

#include "system/fact.h"

#define CPU_TIME_TICKS_PER_SECOND 100

struct cpu_time {
    struct fact_number user, nice, system, idle, iowait, irq, softirq, steal, guest;
    struct fact_number runnable; /* procs_running */
    struct fact_number load_hundredths; /* 1-minute load average * 100 */
};

/* One CPU of those that are online. */
struct cpu_ticks {
    uint32_t cpu;
    uint64_t busy, steal; /* busy: for anybody in this guest, interrupts included */
};

/* The lines "cpuN" of /proc/stat; returns how many were stored. */
size_t cpu_ticks_parse(struct view proc_stat, struct cpu_ticks *ret_ticks, size_t most);

void cpu_time_read(struct cpu_time *time, const struct sysroot *root);

/* Share of all CPU time between two readings that was stolen; false when either lacks a number or no tick passed. */
MUST_CHECK bool cpu_time_steal_ratio(const struct cpu_time *from, const struct cpu_time *to, double *ret_ratio);
/* Share since boot. */
MUST_CHECK bool cpu_time_steal_ratio_since_boot(const struct cpu_time *time, double *ret_ratio);

#endif
