/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which C-states does an idle CPU enter, and how long does it take to leave them? Those of the first CPU. */
#ifndef PLUMB_SYSTEM_CPU_IDLE_H
#define PLUMB_SYSTEM_CPU_IDLE_H

#include "system/fact.h"

enum { IDLE_STATES_MOST = 12 };

struct idle_state {
    char name[24];
    int64_t latency_us; /* to leave it; -1: not told */
    bool disabled;
};

struct cpu_idle {
    struct fact_word driver, governor;
    struct fact_number state_count;
    struct idle_state states[IDLE_STATES_MOST];
    struct fact_number deepest_latency_us; /* of the enabled ones */
};

void cpu_idle_read(struct cpu_idle *idle, const struct sysroot *root);

#endif
