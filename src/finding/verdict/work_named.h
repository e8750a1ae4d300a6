/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kind of work is a program at, by the names of its functions, where no cause of slowness is the answer? Names of
 * well-known libraries alone.
 */
#ifndef PLUMB_FINDING_VERDICT_WORK_NAMED_H
#define PLUMB_FINDING_VERDICT_WORK_NAMED_H

#include "finding/results.h"

struct work_named {
    /* "By the names of functions, its work is compressing (71 %)." Owner: arena. NULL: no names that tell */
    const char *sentence;
    double share;          /* of all samples, of the largest kind */
    bool is_most;          /* one kind has at least half of the samples */
    const char *advice[2]; /* of the largest kinds first; NULL: no more. Owner: arena */
    const char *check;     /* of the kind that has most; NULL: none. Owner: static */
};

struct work_named work_named_of(const struct results *results, struct arena *arena);

#endif
