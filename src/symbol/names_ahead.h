/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What are the locations called that a recording has met so far? Asked on another core while it is still being read:
 * files are opened, symbols and inlined functions found there, and afterwards all of it is there.
 *
 * The other core sees copies of dsos and locations alone, made while it is idle. Left to the caller afterwards is what
 * stands elsewhere in the recording, and the kernel's (kernel_ahead.h): names of BPF programs, files that were deleted.
 */
#ifndef PLUMB_SYMBOL_NAMES_AHEAD_H
#define PLUMB_SYMBOL_NAMES_AHEAD_H

#include "symbol/symboliser.h"

struct names_ahead;

/* Who goes on with the names on the other core. */
struct names_follower {
    void *context;
    /* Asked while the recording is read: whether there is enough to do to begin now, whatever there is to name. */
    bool (*waits)(void *context);
    /* On the reader's core, while the other one is idle: what work() will need of what only the reader sees. */
    void (*learn)(void *context);
    /* On the other core. known: the dsos, locations, stacks and frames that were there when it last learnt. */
    void (*work)(void *context, const struct names_ahead *ahead, struct recording *known,
                 struct symboliser *symboliser);
};

/* What will be asked for beside the symbols. */
struct names_wanted {
    bool inlines, lines;
    bool kernel_bare; /* … and the kernel's symbols not at all */
    const struct names_follower *follower; /* may be NULL */
};

/* Owner: the caller (names_ahead_free). */
struct names_ahead *names_ahead_begin(const struct symboliser_options *options, struct names_wanted wanted);
/* What the recording has by now. Cheap while the other core has enough to do. */
void names_ahead_tell(struct names_ahead *ahead, const struct recording *recording);
/* Whether what is called so there is called so afterwards: else it is left to the caller. */
bool names_ahead_tells(const struct names_ahead *ahead, uint32_t dso);
/*
 * A symboliser of the recording, which knows these names; NULL when the recording turned out to be of another machine
 * than it said at first. Owner: the caller, who frees it before `ahead`.
 */
struct symboliser *names_ahead_take(struct names_ahead *ahead, const struct recording *recording);
/* NULL is allowed. */
void names_ahead_free(struct names_ahead *ahead);

#endif
