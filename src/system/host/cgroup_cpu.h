/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much CPU may a process's control group use, and was it throttled? cgroup v1 and v2.
 *
 * Every level from the process's own group up to the mount is read: the tightest quota counts, wherever it stands.
 * In a container the levels above its own are invisible: a quota there is not seen (steal and run-queue waiting are).
 */
#ifndef PLUMB_SYSTEM_HOST_CGROUP_CPU_H
#define PLUMB_SYSTEM_HOST_CGROUP_CPU_H

#include "system/fact.h"

#include <sys/types.h>

enum { CGROUP_FOLDER_MOST = 2048 };

struct cgroup_cpu {
    int version;                      /* 1, 2; 0: no CPU controller found (why: in path) */
    struct fact_word mount;           /* where the controller's hierarchy is mounted */
    struct fact_word path;            /* the process's group below it */
    /* where this mount shows the group, which in a container is not mount + path; or "" */
    char folder[CGROUP_FOLDER_MOST];
    char cpuset_folder[CGROUP_FOLDER_MOST]; /* the same of the cpuset controller */
    bool limited;                     /* some level has a quota */
    struct fact_number quota_us, period_us; /* of the tightest level; quota absent with why when unlimited */
    double quota_cpus;                /* quota / period; meaningful when limited */
    struct fact_word quota_path;      /* the level that sets it */
    struct fact_number periods, throttled_periods, throttled_us; /* of the level that was throttled most */
    struct fact_number usage_us;      /* CPU time of all in that level; v1: where cpuacct has a group of that path */
    struct fact_number weight;        /* v2 cpu.weight (100 is normal), v1 cpu.shares (1024 is normal) */
    struct fact_word cpus;            /* cpuset in force */
    struct fact_number pressure_us;   /* v2 cpu.pressure "some" total */
};

/* pid 0: this process. */
void cgroup_cpu_read(struct cgroup_cpu *cgroup, const struct sysroot *root, pid_t pid);
/* A group by its path below the mount ("/system.slice/x.service"). */
void cgroup_cpu_read_path(struct cgroup_cpu *cgroup, const struct sysroot *root, const char *path);

#endif
