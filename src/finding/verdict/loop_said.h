/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hottest loops read, compute and write, in a sentence each: so code without a name, or without a certain
 * cause, is recognised by who knows its source.
 */
#ifndef PLUMB_FINDING_VERDICT_LOOP_SAID_H
#define PLUMB_FINDING_VERDICT_LOOP_SAID_H

#include "finding/results.h"

struct loops_said {
    const char *sentence; /* NULL: no loop has much of the time. Owner: arena */
    double share;         /* of the CPU time, that it speaks of */
};

struct loops_said loops_said(const struct results *results, struct arena *arena);

#endif
