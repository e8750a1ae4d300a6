/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the looks of one activity_watch keep, for the files of this folder only: tasks.c looks at threads and
 * processes, family.c at who descends from whom, surroundings' counters come from machine.c, result.c tells it.
 * activity_watch_free owns all of it.
 */
#ifndef PLUMB_SYSTEM_ACTIVITY_WATCH_H
#define PLUMB_SYSTEM_ACTIVITY_WATCH_H

#include "base/hashmap.h"
#include "base/text.h"
#include "base/vec.h"
#include "system/activity/activity.h"
#include "system/activity/task_stat.h"
#include "system/host/cgroup_cpu.h"
#include "system/host/cpu_time.h"
#include "system/host/interrupts.h"

struct watched_thread {
    uint32_t pid, tid;
    uint64_t start_ticks; /* tells a reused tid */
    char comm[16];
    struct task_counters first, last;
    bool has_schedstat, has_switches;
    bool alive;
    uint32_t seen, seen_running, seen_sleeping, seen_disk;
    struct activity_wait waits[ACTIVITY_WAITS_MOST];
    char cpus[ACTIVITY_CPUS_SIZE]; /* where it may run: what most looks found, by votes that outlast the others' */
    uint32_t cpus_votes;
};

/* One line of the list of processes. */
struct seen_process {
    pid_t pid, parent, session;
    uint64_t start_ticks;
    char comm[16];
    double cpu_s;
    bool is_ready, is_child; /* is_child: of the target, and none of it */
};

struct watched_process {
    pid_t pid;
    bool alive, began_before,
        given_orphans; /* began_before: it ran already when watching began, so counters start at first;
                                                 given_orphans: the first of its pid namespace */
    uint64_t first_read_bytes, read_bytes, first_write_bytes, write_bytes;
    bool has_io, has_counters;
    struct task_counters first, last; /* of all its threads, those that have ended included */
    uint64_t resident_bytes, resident_most_bytes, swapped_bytes;
    double cpu_s;
    double held_delay_s; /* of its first thread, before it was let go */
};

/* A descendant that began before watching did. */
struct watched_child {
    uint32_t pid, parent;
    uint64_t start_ticks;
    char comm[16];
    double first_cpu_s, last_cpu_s;
};

/* Open for writing. */
struct watched_file {
    pid_t pid;
    int descriptor;
    char path[ACTIVITY_PATH_SIZE];
    uint64_t position, bytes; /* the lowest of any look; how far beyond that of then any was */
};

struct machine_counters {
    struct cpu_time cpu;
    bool has_vmstat;
    uint64_t huge_faults, huge_fallbacks, swap_ins, swap_outs;
    bool has_interrupts;
    uint64_t interrupts;
};

/* More CPUs than Linux is built for anywhere. */
enum {
    CPUS_MOST = 8192
};
typedef vec(struct cpu_ticks) cpu_ticks_list;
typedef vec(struct cpu_interrupts) cpu_interrupts_list;

struct activity_watch {
    const struct sysroot *root;
    vec(struct watched_process) processes;
    vec(struct watched_thread) threads;
    vec(struct watched_child) children;
    vec(struct watched_file) files;
    vec(struct seen_process) listed, listed_before; /* in this look and in the one before, by pid */
    struct hashmap thread_by_tid;
    double tick_s;
    uint64_t began_ticks; /* since boot, as /proc counts when a task began */
    double began_s, last_s;
    struct machine_counters machine_first, machine_last;
    cpu_ticks_list cpus_first, cpus_last;
    cpu_interrupts_list interrupts_first, interrupts_last;
    double interrupts_first_s, interrupts_last_s, interrupts_next_s;
    bool has_cgroup, cgroup_is_given;
    struct cgroup_cpu cgroup_first, cgroup_last;
    bool has_members; /* the limited group's processes could be read, and it is their own, not one above it */
    uint32_t others_most;
    double runnable_sum;
    uint32_t runnable_count, look_count, ready_looks, threads_at_once;
    bool started;  /* by us: nothing of it ran before */
    bool is_ready; /* in this look: one of its threads runs, or could */
    uint32_t live_now, stopped_now, stopped_looks; /* threads in this look; looks that found all of them stopped */
    uint32_t blocked_now, blocked_looks;           /* threads in state D in this look; looks that found one */
    uint32_t cpus_allowed;
};

/* A file of the sysroot, by a format of at most two numbers; false where it can't be read. out is cleared first. */
bool watch_read(const struct activity_watch *watch, struct text *out, const char *format, int pid, int tid);

/* NULL: it isn't watched. */
struct watched_process *watch_process_find(struct activity_watch *watch, pid_t pid);
void watch_process_add(struct activity_watch *watch, pid_t pid, bool began_before);

/* Children of watched processes become watched; those from before are only told of. */
void watch_family_look(struct activity_watch *watch, struct text *scratch);
/* Counters and threads of one process; returns how many threads live, 0 when it has ended. */
uint32_t watch_process_look(struct activity_watch *watch, struct watched_process *process, struct text *scratch);
/* Which files it writes, by how their positions go on. */
void watch_files_look(struct activity_watch *watch, const struct watched_process *process, struct text *scratch);
void result_files(const struct activity_watch *watch, struct activity *result);
/* The machine's counters, and those of the target's cgroup. */
void watch_machine_look(struct activity_watch *watch, struct text *scratch);
void watch_cgroup_look(struct activity_watch *watch);

#endif
