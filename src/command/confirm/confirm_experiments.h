/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which experiments could overturn a verdict, cheapest first, and which of them can be made here?
 *
 * Of a process that ran already, they are probes of it while it runs. Else each is a pair: the case's command as it was
 * (A), and the same with one thing changed (B). A row says what that is, which outcome overturns the verdict, and how
 * one sees that the change took hold: without that, a missing gain means nothing.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_EXPERIMENTS_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_EXPERIMENTS_H

#include "analyse/code/vector_library.h"
#include "analyse/probes/probe_results.h"
#include "command/confirm/confirm_subject.h"
#include "experiment/experiment.h"

/* Where a process leaves its control groups. */
#define GROUP_ROOT   "/sys/fs/cgroup/cgroup.procs"
#define GROUP_ROOT_1 "/sys/fs/cgroup/cpu/cgroup.procs" /* of cgroup v1 */

struct confirm_place {
    const struct confirm_subject *subject;
    const struct sysroot *root;
    char *const *argv;    /* the case's command */
    char *const *changed; /* the one that the user brought, or NULL */
    const struct vector_library *libraries; /* VECTOR_LIBRARIES, of the case's samples; NULL: not looked for */
    bool is_live;         /* the case watched what ran already */
    bool switch_machine;  /* a setting of the whole machine may be switched while a run lasts */
};

/* How one sees, in what was measured of a run, that the change took hold. */
enum took_hold_sign {
    SIGN_BY_NATURE, /* the kernel or the user made it: nothing to look for */
    SIGN_RISES,     /* B's value less A's is at least that much */
    SIGN_FALLS,     /* B's value over A's is at most that much */
    SIGN_UNSEEN     /* nothing shows it */
};

/* How it is made. */
enum confirm_way {
    WAY_PAIR,   /* runs of A and B in blocks */
    WAY_PROBE,  /* a probe of the running process */
    WAY_BURSTS, /* a look at its instructions, one by one */
    WAY_HOGS    /* runs alone and beside others that use memory bandwidth, in blocks */
};

/* On which CPUs B runs. */
enum confirm_cpus {
    CPUS_AS_BEFORE,
    CPUS_LAST,    /* the last one allowed here */
    CPUS_ONLINE,  /* all, allowed or not */
    CPUS_OF_NODE  /* those of the first memory node */
};

struct confirm_experiment {
    const char *name;
    const char *subjects; /* findings and bottlenecks that it tests, with blanks between */
    const char *change;   /* what B is */
    const char *overturns; /* the outcome that overturns the verdict */
    /* What changes: words NAME=VALUE added to the environment, a setting, a program that starts it; any may be NULL. */
    const char *environment;
    const char *setting, *value;
    enum confirm_cpus cpus;
    const char *starter;
    bool is_machine_wide;
    bool is_changed_command;
    bool is_live;          /* on the process that the case watched */
    enum confirm_way way;
    enum probe_kind probe; /* WAY_PROBE */
    enum took_hold_sign sign;
    const char *quantity;
    double least;
    const char *not_taken; /* why a missing gain means nothing then */
    /* NULL: it can be made here. May be NULL itself: always. */
    const char *(*why_not)(const struct confirm_place *place, struct arena *arena);
};

enum {
    EXPERIMENTS_MOST = 16
};

struct confirm_choice {
    const struct confirm_experiment *experiment;
    const char *why_not; /* NULL: it can be made */
};

/* Those that test the subject, cheapest first. Shape: EXPERIMENTS_MOST. Returns how many. Owner: arena. */
size_t confirm_choices(const struct confirm_place *place, struct confirm_choice *ret_choices, struct arena *arena);

#endif
