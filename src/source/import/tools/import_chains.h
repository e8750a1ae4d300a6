/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By whom are the functions of a perf report called, by the trees of call chains that it draws below their rows?
 *
 * Each row gets the callers of the branch that has most of it behind its line (IMPORT_CALLERS), the nearest first, and
 * its tree is taken away. Does not support: chains in one line (-g folded); what lies behind a fork where no branch has
 * half.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CHAINS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CHAINS_H

#include "base/arena.h"
#include "base/text.h"

/* The text itself where there is no such tree in it. */
struct view import_chains_turned(struct view text, struct arena *arena);

#endif
