/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a text hold what pprof -top prints of CPU time? Its rows become those of a report: of each function the share
 * that it has itself (flat%), which is what is ranked there, whatever the table was sorted by.
 *
 * Does not support: profiles of memory, locks or goroutines (Type: inuse_space, delay, …), which stay as they are.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_PPROF_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_PPROF_H

#include "base/arena.h"
#include "base/text.h"

/* The text itself where there is no such table in it. */
struct view import_pprof_turned(struct view text, struct arena *arena);

#endif
