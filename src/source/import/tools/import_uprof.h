/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What AMD uProf printed: the classes of AMDuProfPcm's pipeline_util under perf's names, as CSV with a metric a column
 * (a look a row: their mean) or a row (cumulative); the hottest functions of AMDuProfCLI's report, as shares of what
 * its modules have together. Does not support: what it says of caches, fabric and power.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_UPROF_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_UPROF_H

#include "base/arena.h"
#include "base/text.h"

/* The text with such lines as import_text_next() reads them; the text itself where there are none. */
struct view import_uprof_turned(struct view text, struct arena *arena);

#endif
