/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is the elapsed time divided: a thread of it ran, or none did, because a limit held it back, because others had
 * the CPUs, because plumb itself held it, or because nothing of it wanted one?
 *
 * The one account of it: the page's table and each finding on waiting, limits and others take their shares from here,
 * so that they can't disagree. Where the run leaves a border open a share is an interval; the middles add up to 1. Does
 * not support: what threads lost while another thread of theirs ran.
 */
#ifndef PLUMB_ANALYSE_TIME_TIME_SHARES_H
#define PLUMB_ANALYSE_TIME_TIME_SHARES_H

#include "analyse/time/run_time.h"
#include "analyse/time/wait_rows.h"
#include "base/arena.h"

struct time_shares { /* 0..1 of the elapsed time */
    bool known;
    const char *why_not;
    struct interval running;   /* at least one thread was on a CPU */
    struct interval throttled; /* none was: ready, but the CPU limit of its group was used up */
    struct interval ready;     /* none was: ready, and others had the CPUs */
    struct interval held;      /* none was: our own probe held one that would have run */
    struct interval waiting;   /* none was, none was ready, and none was held */
};

/* activity, waits: may be NULL. */
struct time_shares time_shares_of(const struct run_time *run, const struct activity *activity,
                                  const struct wait_rows *waits);

/* Why little of it is its code's doing, as a clause: by what it mostly lacked. Owner: arena. */
const char *time_shares_no_cpu_problem(const struct time_shares *shares, struct arena *arena);

/*
 * The longest wait whose kind is known, unless it is a small part of all waiting; NULL. A runtime's threads that have
 * nothing to do are left out.
 */
const struct wait_row *wait_rows_longest(const struct wait_rows *waits);

#endif
