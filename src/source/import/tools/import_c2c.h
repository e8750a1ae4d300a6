/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a text hold what perf c2c report prints of shared lines? Of each line its loads that hit a modified copy (HITM)
 * become counts by key; of the code that the Pareto names each function's share of them all becomes a report of HITM.
 *
 * Does not support: --display peer, call chains in the Pareto, columns chosen with --fields.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_C2C_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_C2C_H

#include "base/arena.h"
#include "base/text.h"

/* The text itself where there is no such table in it. */
struct view import_c2c_turned(struct view text, struct arena *arena);

#endif
