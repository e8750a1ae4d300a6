/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions have much of the time with all that they call? For programs whose paths are not known to their
 * beginning: a stack that was cut off still says what it lies in.
 *
 * Of the copied stacks alone, which see user code. Functions that have a name, or tell of themselves. Of two that hold
 * nearly the same stacks the one that is called by the other is taken. A function that holds nearly all of them says
 * nothing. What a stack was cut off in may have been called by any function that isn't known to be called by it: so
 * much more a share may be. Does not support: tail calls, which leave no frame.
 */
#ifndef PLUMB_ANALYSE_STALL_CALL_HOLDERS_H
#define PLUMB_ANALYSE_STALL_CALL_HOLDERS_H

#include "model/recording.h"
#include "statistics/interval.h"
#include "symbol/code_bundle.h"

enum { CALL_HOLDERS_MOST = 4 };

struct call_holder {
    const char *name;
    uint64_t stacks;
    struct interval share; /* of all copied stacks */
};

struct call_holders {
    struct call_holder items[CALL_HOLDERS_MOST]; /* most stacks first; they may call one another */
    size_t count;
    uint64_t stacks;
};

/* Names belong to the bundle. */
void call_holders_find(struct call_holders *holders, const struct recording *recording,
                       const struct code_bundle *bundle);

#endif
