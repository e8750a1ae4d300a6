/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the time goes into code without names that was compiled while it ran, or that a runtime keeps in an image
 * of its own, in how many pieces, and how it gets names.
 */
#ifndef PLUMB_FINDING_VERDICT_GENERATED_SAID_H
#define PLUMB_FINDING_VERDICT_GENERATED_SAID_H

#include "finding/results.h"

struct generated_said {
    const char *sentence; /* NULL: little of it */
    const char *advice;   /* NULL: hardly any of it */
    bool is_most;         /* at least half of the time */
};

/* Owner: arena. */
struct generated_said generated_said(const struct results *results, struct arena *arena);

#endif
