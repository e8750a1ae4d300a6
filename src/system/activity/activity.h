/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did the target and the machine do while they were watched: CPU time, waiting for a CPU, faults,
 * switches, throttling, steal, and where its threads were seen asleep?
 *
 * Reads /proc and the cgroup file system at moments the caller chooses (activity_look); needs no perf events
 * and no rights beyond reading one's own processes, so it is what remains when everything else is refused.
 * What can't be read is "not measured", with the reason.
 * Does not support: what a thread did between its last look and its death. Sums over threads are lower ends then:
 * seen_run_s beside the CPU time tells how much was seen, activity_raise puts in what rusage of a started program
 * knows.
 */
#ifndef PLUMB_SYSTEM_ACTIVITY_ACTIVITY_H
#define PLUMB_SYSTEM_ACTIVITY_ACTIVITY_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/measured.h"
#include "system/sysroot.h"

#include <stdint.h>
#include <sys/types.h>

/* Where a thread was seen asleep, by kernel function or system call. */
struct activity_wait {
    char place[48]; /* "futex_wait_queue", "syscall 230"; "" when neither could be read */
    uint32_t count;
};

#define ACTIVITY_WAITS_MOST 6

/* One CPU of the machine while it was watched. */
struct activity_cpu {
    uint32_t cpu;
    double busy_s, steal_s; /* for anybody; a hundredth of a second at a time */
    double timer_per_s, others_per_s; /* interrupts: its own timer's, all else; negative: not counted */
};

/* A longer list of CPUs isn't kept. */
#define ACTIVITY_CPUS_SIZE 64

struct activity_thread {
    uint32_t pid, tid;
    char comm[16];
    double user_s, system_s;             /* since watching began */
    struct measured run_s, run_delay_s;  /* schedstat */
    uint32_t seen, seen_running, seen_sleeping, seen_disk; /* looks, by state: R, S, D */
    struct activity_wait waits[ACTIVITY_WAITS_MOST];
    char cpus[ACTIVITY_CPUS_SIZE]; /* where it may run, "0-3,8": in most looks; "": not known */
};

/* A child that ran before watching began: it is none of the target, but may do its work. */
struct activity_child {
    uint32_t pid, parent;
    char comm[16];
    double cpu_s; /* while the target was watched; ticks of the clock */
};

#define ACTIVITY_CHILDREN_MOST 4

#define ACTIVITY_PATH_SIZE 256 /* a longer one isn't kept */

/* A file that the target had open for writing, and whose position moved on between two looks. */
struct activity_file {
    char path[ACTIVITY_PATH_SIZE];
    double bytes; /* so far at least: writing at a given position moves none */
};

#define ACTIVITY_FILES_MOST 4

struct activity {
    struct measured elapsed_s;
    /* the target, all its processes */
    struct measured user_s, system_s;
    struct measured run_delay_s; /* runnable, but waiting for a CPU; summed over threads, as far as they were seen */
    struct measured seen_run_s;  /* the CPU time that schedstat showed of the same threads */
    struct measured ready_ratio; /* of the looks: a thread ran or was ready; look_count - 1 looks */
    struct measured blocked_ratio; /* of the looks: a thread was in state D, as one is that waits for storage */
    struct measured stopped_ratio; /* of the looks: all its threads were stopped, by a signal or a debugger */
    struct activity_child children[ACTIVITY_CHILDREN_MOST]; /* and theirs, most CPU time first */
    uint32_t child_count;
    struct activity_file files[ACTIVITY_FILES_MOST]; /* most bytes first */
    uint32_t file_count;
    struct measured minor_faults, major_faults;
    struct measured voluntary_switches, involuntary_switches;
    struct measured block_io_delay_s; /* needs delay accounting */
    struct measured read_bytes, write_bytes; /* that reached storage */
    struct measured resident_most_bytes, swapped_bytes;
    struct measured cpus_allowed;
    uint32_t thread_count, process_count; /* seen in all */
    uint32_t threads_at_once;             /* most */
    struct activity_thread *threads;      /* most CPU time first; owner: arena */
    /* its cgroup */
    char cgroup[256];
    int cgroup_version;            /* 1, 2; 0: not known */
    struct measured quota_cpus;    /* limit in CPUs; not measured with "no limit is set" when there is none */
    struct measured throttled_s; /* of the group: all its processes, and summed over the CPUs it was held back on */
    struct measured throttled_periods, periods, period_s;
    struct measured group_usage_s;  /* CPU time of all processes of that group */
    struct measured group_others; /* processes of the limited group that aren't the target's: most seen in a look */
    /* the machine */
    struct measured cpus_online;
    struct activity_cpu *cpus; /* NULL: not known; owner: arena */
    uint32_t cpu_count;
    struct measured busy_ratio, steal_ratio, iowait_ratio, interrupt_ratio; /* of all CPUs' time */
    struct measured runnable_mean; /* threads running or runnable, machine-wide, mean over the looks */
    struct measured huge_faults, huge_fault_fallbacks; /* THP counters of the machine */
    struct measured swap_ins, swap_outs;
    struct measured interrupts; /* all CPUs', timers' included */
    struct measured guest_ratio; /* of all CPUs' time: in guests of this machine, part of busy_ratio */
    uint32_t look_count;
};

struct activity_watch;

/*
 * Begin. pids: processes to watch with the children they start from now on (those they have are not the target); none:
 * the machine only. started: a program of ours, all of whose descendants count. cgroup: its path below the cgroup
 * mount, or NULL: that of pids[0].
 */
struct activity_watch *activity_watch_new(const struct sysroot *root, const pid_t *pids, size_t count, bool started,
                                          const char *cgroup);
/* Another process to watch, from its beginning or, when it ran before watching began, from now on. */
void activity_watch_add(struct activity_watch *watch, pid_t pid);
/* A program of ours had waited for so long for a CPU when it was let go: that is none of its run. */
void activity_watch_held(struct activity_watch *watch, pid_t pid, double delay_s);
/* Look again. Costs some 50 us for each thread. */
void activity_look(struct activity_watch *watch);
/* A last look at a process that has ended and that nobody waited for yet: its own counters are complete now. */
void activity_look_ended(struct activity_watch *watch, pid_t pid);
/* Processes seen so far that have not ended, most CPU time first; returns how many were written. */
size_t activity_processes(const struct activity_watch *watch, pid_t *ret_pids, size_t most);
/* What it came to; strings and threads: owner arena. */
void activity_result(const struct activity_watch *watch, struct arena *arena, struct activity *ret_activity);

/* What is known of the whole target from elsewhere: processes that came and went between two looks included. */
struct activity_totals {
    double minor_faults, major_faults, voluntary_switches, involuntary_switches;
    double resident_most_bytes; /* of the largest process of each run */
};
/* Where the looks saw less than that. */
void activity_raise(struct activity *activity, const struct activity_totals *totals);

/* As a part of a case: sums, and the ACTIVITY_THREADS_KEPT busiest threads. */
#define ACTIVITY_THREADS_KEPT 64
void activity_write(const struct activity *activity, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool activity_read(struct activity *activity, struct json_value root, struct arena *arena,
                              struct error *err);
void activity_watch_free(struct activity_watch *watch);

#endif
