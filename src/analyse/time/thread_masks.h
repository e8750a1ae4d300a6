/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * May the target's threads run where CPUs stood idle? A program, or a library of it, can keep each of its threads to
 * CPUs of its own, whatever the process may use.
 *
 * Threads that may use the same CPUs are a group: within one, each that was ready without a CPU could have had any of
 * theirs. Does not support: which CPUs stood idle at which moment, and threads that came and went between two looks.
 */
#ifndef PLUMB_ANALYSE_TIME_THREAD_MASKS_H
#define PLUMB_ANALYSE_TIME_THREAD_MASKS_H

#include "system/activity/activity.h"

struct thread_masks {
    bool known;              /* of a thread at least, and so are the CPUs' idle times */
    bool are_alike;          /* all of these may use the same CPUs: nothing of it is a thread's own */
    const char *cpus;        /* of the group kept from CPUs that waited longest: "0-3,8"; NULL: none is kept from any */
    double allowed, outside; /* that many CPUs it may use, and that many it may not */
    double threads;          /* of that group */
    double delay_s;          /* they were ready without a CPU, added up */
    double idle;             /* so many of the CPUs that it may not use stood idle on average */
    double kept_delay_s;     /* of all groups that are kept from CPUs */
    double idle_most;        /* the most that stood idle outside of one of these groups' CPUs */
    double idle_anywhere;    /* of all CPUs, on average */
    double unknown_delay_s;  /* of threads of which it isn't known */
};

/* Strings: the activity's. */
struct thread_masks thread_masks_of(const struct activity *activity);

#endif
