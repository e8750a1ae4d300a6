/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is it a CPU problem at all: for how much of the elapsed time did the target run, and if it did not, was it waiting,
 * held back, or had nothing to do?
 *
 * From context-switch records where there are any (exact), else from CPU time against elapsed time.
 */
#ifndef PLUMB_ANALYSE_TIME_RUN_TIME_H
#define PLUMB_ANALYSE_TIME_RUN_TIME_H

#include "analyse/time/thread_balance.h"
#include "base/measured.h"
#include "model/recording.h"
#include "statistics/interval.h"
#include "system/activity/activity.h"

enum run_scope {
    RUN_STARTED,  /* a program we started: elapsed time is what its user waits for */
    RUN_ATTACHED, /* processes or a cgroup that ran already */
    RUN_MACHINE   /* CPUs */
};

/* How much of the time in which its threads were on CPUs the host gave to others. */
struct stolen {
    struct interval ratio; /* stolen of CPU time and stolen time together; unknown: why_not */
    const char *why_not;
};

struct run_time {
    enum run_scope scope;
    struct measured elapsed_s;
    struct measured cpu_s, user_s, system_s;
    struct measured on_cpu_ratio;     /* share of elapsed in which at least one thread ran */
    struct measured wanted_ratio;     /* the same, or was taken off a CPU while still ready */
    struct measured run_delay_s;      /* runnable, waiting for a CPU; summed over threads */
    bool run_delay_is_least;          /* of the threads seen in /proc alone: others came and went between two looks */
    /* share of elapsed in which one ran or was ready, by looks at /proc; may be unknown */
    struct interval looked_ready;
    struct measured preempted_s;      /* the part of it after preemption, from switch records */
    struct measured cpus_used;        /* mean while elapsed */
    struct measured migrations;       /* a thread came back on another CPU */
    struct measured switches;
    struct measured switched_cpu_s;   /* CPU time as the switch records have it, summed over threads */
    /* one was ready and none ran, at least: the delay of one thread, less what the others ran */
    struct measured ready_least_s;
    double held_s;                    /* our own probe held threads of it, in all */
    struct stolen stolen;
    uint32_t threads_seen;            /* with samples or switches */
    bool from_switches;
    struct thread_balance balance; /* filled by who knows the functions' names */
};

struct run_time_request {
    const struct recording *recording; /* NULL: none */
    const struct activity *activity;   /* NULL: none */
    enum run_scope scope;
    struct measured elapsed_s;
    struct measured user_s, system_s; /* as the parent's rusage has them */
    struct measured task_clock_s;     /* counted over the target with its descendants */
    double held_s;                    /* for how long a probe of ours held threads of it, in all; 0: none did */
};

/*
 * CPU time is, the first that is there: what the parent's rusage says (task-clock where that is more: descendants that
 * nobody waited for), task-clock, the switch records, the differences in /proc (which miss threads that ended).
 */
struct run_time run_time_of(const struct run_time_request *request);

/* run_delay_s, or what the switch records prove of it where threads that nobody saw in /proc made that more. */
struct measured run_time_delay_proven(const struct run_time *run);

#endif
