/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What valgrind's cachegrind printed: of cg_annotate's functions each one's share of the reads that missed the last
 * cache becomes a report of an event that says it is simulated. Its totals ("==4410== D refs: …") are taken away.
 *
 * Does not support: its lines of source, branches, writes. A simulated miss takes no time: nothing of it is a share of
 * that.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CACHEGRIND_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_CACHEGRIND_H

#include "base/arena.h"
#include "base/text.h"

/* The text itself where there is no such table in it. */
struct view import_cachegrind_turned(struct view text, struct arena *arena);

#endif
