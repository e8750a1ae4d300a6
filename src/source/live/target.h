/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whom to measure: a started program, processes, threads, CPUs, the whole machine, or a cgroup.
 *
 * target_resolve turns what the user asked into the (pid, cpu, flags) triples that perf_event_open takes.
 */
#ifndef PLUMB_SOURCE_LIVE_TARGET_H
#define PLUMB_SOURCE_LIVE_TARGET_H

#include "base/arena.h"
#include "base/error.h"
#include "system/sysroot.h"

#include <sys/types.h>

enum target_kind {
    TARGET_WORKLOAD, /* a program we start; counters inherited by its children */
    TARGET_PROCESSES,
    TARGET_THREADS,
    TARGET_CPUS, /* -C list, or all with -a */
    TARGET_CGROUP
};

struct target_thread {
    pid_t pid, tid;
    char comm[64]; /* kernel threads have long ones */
};

struct target {
    enum target_kind kind;
    struct target_thread *threads; /* workload: one; processes: every thread found; threads: those asked */
    size_t thread_count;
    int *cpus; /* CPUS and CGROUP: those to open on */
    size_t cpu_count;
    int cgroup_fd; /* CGROUP: an open directory; else -1 */
    const char *cgroup_path;
    bool system_wide; /* -a, or all CPUs by cgroup */
};

struct target_request {
    const char *processes; /* "12,34", or NULL */
    bool may_be_gone;      /* some of them: they were listed by a program, a moment ago */
    const char *threads;
    const char *user; /* whose processes: a number, or a name of /etc/passwd; NULL */
    const char *cpus;   /* "0-3,8", or NULL */
    bool all_cpus;
    bool every_thread;  /* each thread of the machine by itself */
    const char *cgroup; /* path below the cgroup mount, or absolute; NULL */
};

/* Errors: ERROR_USAGE (not a number, combinations that exclude each other), ERROR_NOT_FOUND (no such process). */
MUST_CHECK bool target_resolve(struct target *target, const struct target_request *request,
                               const struct sysroot *root, struct arena *arena, struct error *err);
/* A workload's own: pid becomes its single thread. */
void target_of_workload(struct target *target, pid_t pid, struct arena *arena);
/*
 * The next process of attached ones whose first thread is stopped by a signal or a debugger, as "12 ('name')"; *from
 * counts on from 0. false: no more.
 */
bool target_stopped_next(const struct target *target, const struct sysroot *root, size_t *from, char *name,
                         size_t size);
void target_done(struct target *target); /* closes cgroup_fd */

/* Run this process, and the children it starts from now on, on the CPUs of a list such as "0-3,8". */
MUST_CHECK bool cpus_pin(const char *list, const struct sysroot *root, struct error *err);

/* Where cgroups that perf_event knows are mounted: version 1's perf_event hierarchy, else version 2. */
bool cgroup_mount_find(const struct sysroot *root, char *path, size_t size);
/* Open one cgroup, named below that mount or absolutely. Owner: the caller (close). */
MUST_CHECK bool cgroup_open(const struct sysroot *root, const char *cgroup, int *ret_fd, struct error *err);

#endif
