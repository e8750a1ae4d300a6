/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is what a share sums up in the function that a sentence names, or in several?
 *
 * A sentence whose subject is one function says how much that one has; what all have together stands behind it.
 */
#ifndef PLUMB_FINDING_HELD_IN_H
#define PLUMB_FINDING_HELD_IN_H

#include "finding/hypothesis.h"

/* Samples of one function that the share counts; rows of the kernel count nothing. */
typedef double function_holds(const struct stalls *stalls, uint32_t function, const void *context);

struct held_in {
    struct interval share; /* what can be said of the function: its own, or all where nearly all is its */
    bool is_spread;        /* others have the greater part: it can't be named for them */
    const char *together;  /* "; 51 to 54 % in 26 functions together", "": it is all */
};

/* all: the share of all that `holds` counts. Owner: the finding's arena. */
struct held_in held_in_function(const struct results *results, const struct finding *finding, uint32_t function,
                                function_holds *holds, const void *context, struct interval all);

#endif
