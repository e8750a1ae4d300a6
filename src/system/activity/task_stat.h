/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what /proc/PID/stat and the "Name: number" files of a task say (proc_pid_stat(5), proc_pid_status(5)). */
#ifndef PLUMB_SYSTEM_ACTIVITY_TASK_STAT_H
#define PLUMB_SYSTEM_ACTIVITY_TASK_STAT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Counters of a task that only grow; differences count. */
struct task_counters {
    double user_s, system_s, run_s, delay_s, block_delay_s;
    uint64_t minor_faults, major_faults, voluntary, involuntary;
};

struct task_stat {
    char comm[16];
    char state;
    uint32_t parent, session;
    uint64_t start_ticks; /* since boot */
    struct task_counters counters;
};

/* tick_s: seconds of one clock tick. False: no such line; the fields it doesn't have are 0. */
bool task_stat_parse(struct view text, double tick_s, struct task_stat *ret_stat);

/* The number behind name ("VmRSS:") at the start of a line. */
bool status_number(struct view text, const char *name, uint64_t *ret_value);

#endif
