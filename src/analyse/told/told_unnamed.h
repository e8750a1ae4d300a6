/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a sentence tell by numbers what came of a change that has no name here ("with 64 connections it went from 1,310
 * to 4,020 requests/s"), or of several at once?
 *
 * Which cause such a change took away isn't known; how much it returned is. Of one metric alone, told before and after
 * it, or beside what stands just ahead of it ("It takes 812 s. With memory.high at 12G: 203 s."). Does not support:
 * other work than before, parts of a run, amounts that are told far apart. One change that is known is told so, too,
 * where the sentence ahead of it is needed.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_UNNAMED_H
#define PLUMB_ANALYSE_TOLD_TOLD_UNNAMED_H

#include "analyse/told/told_trial.h"
#include "base/text.h"
#include "statistics/interval.h"

struct told_unnamed {
    struct view sentence;
    struct view passage;      /* with the sentence ahead of it, where what it was before stands there */
    struct interval gain;     /* of the time, 0..1 */
    enum treatment treatment; /* TREATMENT_COUNT: by no name that is known, or by several */
    bool is_of_latency;
    bool is_of_several; /* that are known: each of them by itself stays open */
};

enum { UNNAMED_MOST = 4 };

/* The next of a text, which is moved behind it. False: none is left. */
bool told_unnamed_next(struct view *text, const struct told_context *context, struct told_unnamed *ret_unnamed);

#endif
