/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the target waited for and which of its functions asked for it, from the stacks that left the CPU. */
#ifndef PLUMB_ANALYSE_TIME_WAIT_ROWS_H
#define PLUMB_ANALYSE_TIME_WAIT_ROWS_H

#include "analyse/time/waiting.h"
#include "symbol/code_bundle.h"

#define WAIT_ROWS_MOST    12
#define WAIT_CALLERS_MOST 3
/* Function of the row of waits whose stacks were not taken, and that are like none of those that were. */
#define WAIT_NOT_TAKEN    "[stack not taken]"

struct wait_row {
    enum wait_kind kind;
    const char *global_lock; /* a lock of all the program's threads, in words; NULL: any other */
    const char *function; /* innermost outside the C library; "[unknown]" */
    double total_s, longest_s;
    double idle_s; /* no thread of the target ran, until a wait here ended */
    uint64_t count;
    double spread_s;      /* of total_s: of waits whose stack was not taken, and that are like those here */
    /* Of the longest of its stacks: */
    const char *asked;    /* what it called of the C library: "pthread_mutex_lock"; NULL: nothing there, or not known */
    const char *path;     /* where it called that; NULL: not known */
    uint32_t line;
    const char *callers[WAIT_CALLERS_MOST]; /* who called the function, innermost first */
    uint32_t caller_count;
    /*
     * all of that, as what the function did: "called pthread_mutex_lock at queue.c:41, itself called by work, main";
     * NULL: nothing is known
     */
    const char *call;
};

struct wait_rows {
    bool known;           /* there were context switches */
    double waiting_s, unattributed_s, preempted_s; /* thread times, added up */
    double spread_s;      /* of waiting_s, as in the rows */
    uint64_t wait_count, stack_count; /* waits; those whose stack was taken */
    double idle_s;        /* of the clock on the wall: no thread ran */
    bool held_known;      /* the waits for our own probe were met, and stand in none of the others */
    double held_idle_s;   /* no thread ran, since our own probe held one */
    struct wait_row items[WAIT_ROWS_MOST]; /* most idle time first, then the longest total */
    size_t count;
};

/*
 * Take out what the target was held for by plumb itself: none of its own doing. A thread has one tracer at a time, so
 * all its waits for one were ours.
 */
void wait_rows_take_held(struct wait_rows *waits);

struct wait_rows wait_rows_of(const struct recording *recording, const struct code_bundle *bundle,
                              struct arena *arena);

#endif
