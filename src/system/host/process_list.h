/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes are there now, on the machine with the CPU time of each, or in a control group? */
#ifndef PLUMB_SYSTEM_HOST_PROCESS_LIST_H
#define PLUMB_SYSTEM_HOST_PROCESS_LIST_H

#include "system/sysroot.h"

#include <stdint.h>
#include <sys/types.h>

struct process_entry {
    pid_t pid;
    uint64_t start_ticks; /* tells a reused pid */
    uint64_t cpu_ticks;   /* user and system, its ended threads included */
};

struct process_list {
    struct process_entry *items;
    size_t count, capacity;
};

/* One process; false when it is gone, or a kernel thread. */
bool process_entry_read(struct process_entry *ret_entry, pid_t pid, const struct sysroot *root);
/* Processes with memory of their own; kernel threads are left out. What can't be read is left out as well. */
void process_list_read(struct process_list *list, const struct sysroot *root);
void process_list_done(struct process_list *list);

/* Those in the control group that cgroup_fd is open on, and in the groups below it; returns how many. */
size_t process_list_of_cgroup(int cgroup_fd, pid_t *ret_pids, size_t most);

#endif
