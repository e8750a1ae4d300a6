/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do folded stacks of another tool say: on a CPU in which functions, or off it, waiting for what and called by
 * whom?
 *
 * A stack whose innermost function is the scheduler's, or is how the kernel waits, is one that was off a CPU; where
 * most are of the latter, whoever wrote them left out the scheduler, and all are. Waits are told by the functions in it
 * as those of plumb's own recordings are (analyse/time/waiting, analyse/time/wait_locks).
 * Does not support: what the numbers count (samples, microseconds): shares alone are told.
 */
#ifndef PLUMB_ANALYSE_PROFILE_FOLDED_PROFILE_H
#define PLUMB_ANALYSE_PROFILE_FOLDED_PROFILE_H

#include "analyse/time/waiting.h"
#include "base/arena.h"
#include "base/text.h"

struct folded_stack {
    struct view frames; /* from the root on, joined by ";" */
    double weight;
};

struct folded_function {
    const char *name;
    double share; /* 0..1 of what was on a CPU, or of all waits for locks */
};

enum { FOLDED_FUNCTIONS_MOST = 32 };

struct folded_profile {
    double on, off;                    /* weights of all stacks on a CPU, and off it */
    double by_kind[WAIT_KIND_COUNT];   /* of what was off */
    struct folded_function functions[FOLDED_FUNCTIONS_MOST]; /* innermost on a CPU, largest first */
    size_t function_count;
    struct folded_function lock; /* who waited most for locks; name NULL: nobody did */
};

/* are_waits: a tool wrote them that counts waits alone. Owner of the names: arena. */
void folded_profile_of(const struct folded_stack *stacks, size_t count, bool are_waits,
                       struct folded_profile *ret_profile, struct arena *arena);

/*
 * Shares of what was off a CPU and not idle (waiting for events, a time to come, a person), by these names among
 * imported rows.
 */
#define FOLDED_LOCKS "waits off a CPU for locks / all that aren't idle"
/* Where it is told what the numbers count, for how long and of how many threads. */
#define FOLDED_LOCKS_TIME "waits off a CPU for locks / time of all its threads"
#define FOLDED_STORAGE_TIME "waits off a CPU for storage / time of all its threads"
#define FOLDED_NETWORK_TIME "waits off a CPU for the network / time of all its threads"
#define FOLDED_STORAGE "waits off a CPU for storage / all that aren't idle"
#define FOLDED_NETWORK "waits off a CPU for the network / all that aren't idle"

enum { FOLDED_SHARES = 3 };
struct folded_share {
    const char *name;
    double share;     /* 0..1 */
    double weight;    /* … of them all */
    const char *who;  /* the function that waits so most; "": not told */
};
/* Not idle at all: 0 shares are written. */
size_t folded_shares_of(const struct folded_profile *profile, struct folded_share ret_shares[FOLDED_SHARES]);

#endif
