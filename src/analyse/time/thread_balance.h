/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do threads that do the same work share it evenly, or does one have most of it and go on when the others have ended?
 *
 * From samples: threads are alike when at least half of their samples are in the function that has most of all samples.
 * Does not support: whether the work can be divided otherwise, threads that take turns at different work, processes.
 */
#ifndef PLUMB_ANALYSE_TIME_THREAD_BALANCE_H
#define PLUMB_ANALYSE_TIME_THREAD_BALANCE_H

#include "analyse/time/thread_rounds.h"
#include "model/recording.h"
#include "symbol/code_bundle.h"

struct thread_balance {
    /* at least two threads of one process did the same work side by side, one clearly more of it than the others */
    bool known;
    uint32_t threads; /* that do */
    uint32_t busiest_tid;
    const char *function; /* whose work it is. Owner: the bundle */
    double busiest_share; /* 0..1: of what all of them did, the busiest one's */
    double alone_s;       /* so long it went on after all others had ended, or had done their last */
    /*
     * Shared again and again, whatever else they do between: all rounds that one thread ended alone, and how many
     * threads took part. What the others did then isn't looked at.
     */
    struct thread_rounds rounds;
    uint32_t round_threads;
};

struct thread_balance thread_balance_of(const struct recording *recording, const struct code_bundle *bundle);

#endif
