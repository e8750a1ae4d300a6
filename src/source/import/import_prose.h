/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which classes of a top-down tree does a sentence tell with their shares: "88.8 % backend bound and 5.7 % retiring",
 * "DRAM bound is 66.5 %, with memory bandwidth at 72.6 %"? Two classes at least, each with one share, in one order.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_PROSE_H
#define PLUMB_SOURCE_IMPORT_IMPORT_PROSE_H

#include "base/arena.h"
#include "base/text.h"

/* The text with a table of them, as import_text reads it, behind each paragraph that has such. Owner: arena. */
struct view import_prose_turned(struct view text, struct arena *arena);

#endif
