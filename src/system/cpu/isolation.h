/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPUs has the administrator taken out of general scheduling, ticks and callbacks? */
#ifndef PLUMB_SYSTEM_CPU_ISOLATION_H
#define PLUMB_SYSTEM_CPU_ISOLATION_H

#include "system/fact.h"

/* A known, empty word: none. */
struct cpu_isolation {
    struct fact_word isolated;     /* isolcpus= */
    struct fact_word nohz_full;
    struct fact_word rcu_nocbs;    /* from the kernel's command line */
    struct fact_word mitigations;  /* mitigations= of the command line; empty: the default */
    struct fact_word allowed_cpus; /* this process's own affinity */
};

void cpu_isolation_read(struct cpu_isolation *isolation, const struct sysroot *root);

#endif
