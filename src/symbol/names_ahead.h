/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What are the locations called that a recording has met so far? Asked on another core while it is still being read: files are opened,
 * symbols and inlined functions found there, and afterwards all of it is there.
 *
 * The other core sees copies of dsos and locations alone, made while it is idle. Left to the caller afterwards is what stands
 * elsewhere in the recording, and the kernel's (kernel_ahead.h): names of BPF programs, files that were deleted.
 */
#ifndef PLUMB_SYMBOL_NAMES_AHEAD_H
#define PLUMB_SYMBOL_NAMES_AHEAD_H

#include "symbol/symboliser.h"

struct names_ahead;

/* What will be asked for beside the symbols. */
struct names_wanted {
    bool inlines, lines;
};

/* Owner: the caller (names_ahead_free). */
struct names_ahead *names_ahead_begin(const struct symboliser_options *options, struct names_wanted wanted);
/* What the recording has by now. Cheap while the other core has enough to do. */
void names_ahead_tell(struct names_ahead *ahead, const struct recording *recording);
/*
 * A symboliser of the recording, which knows these names; NULL when the recording turned out to be of another machine than it said
 * at first. Owner: the caller, who frees it before `ahead`.
 */
struct symboliser *names_ahead_take(struct names_ahead *ahead, const struct recording *recording);
/* NULL is allowed. */
void names_ahead_free(struct names_ahead *ahead);

#endif
