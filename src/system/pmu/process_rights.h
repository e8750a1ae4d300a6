/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may this process do: user, capabilities, resource limits, seccomp?
 *
 * From /proc/self, so that a snapshot tells the same. A capability counts for perf only when it is held in the first
 * user namespace: in_first_user_namespace says so.
 */
#ifndef PLUMB_SYSTEM_PMU_PROCESS_RIGHTS_H
#define PLUMB_SYSTEM_PMU_PROCESS_RIGHTS_H

#include "system/fact.h"

enum process_capability { /* numbers of linux/capability.h */
    PROCESS_CAP_IPC_LOCK = 14,
    PROCESS_CAP_SYS_RAWIO = 17,
    PROCESS_CAP_SYS_PTRACE = 19,
    PROCESS_CAP_SYS_ADMIN = 21,
    PROCESS_CAP_SYS_RESOURCE = 24,
    PROCESS_CAP_SYSLOG = 34,
    PROCESS_CAP_PERFMON = 38,
    PROCESS_CAP_BPF = 39
};

struct process_rights {
    struct fact_number user;                 /* effective uid */
    struct fact_number capabilities, bounding; /* bit masks: effective, and what a setuid program could get */
    struct fact_number seccomp_mode;         /* 0 none, 1 strict, 2 filter */
    struct fact_number seccomp_filters;
    struct fact_number no_new_privileges;
    struct fact_number open_files_soft, open_files_hard;     /* INT64_MAX: unlimited */
    struct fact_number locked_memory_soft, locked_memory_hard; /* bytes; INT64_MAX: unlimited */
    struct fact_number in_first_user_namespace, in_first_pid_namespace, in_first_cgroup_namespace;
};

void process_rights_read(struct process_rights *rights, const struct sysroot *root);

/* Held and effective for perf: in the first user namespace. False when unknown. */
bool process_has(const struct process_rights *rights, enum process_capability capability);
/* CAP_PERFMON or CAP_SYS_ADMIN. */
bool process_has_perfmon(const struct process_rights *rights);

#endif
