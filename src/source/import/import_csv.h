/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Top-down classes a line each with the number behind the name: "tma_dram_bound,0.665,ratio", "tma_dram_bound = 66.5",
 * toplev's -x, with or without its heading; columns of several runs; events under "event,count". As tables of Markdown,
 * which have a reader.
 *
 * Of a class that comes again, as of each second or each CPU, the mean counts. Does not support: events without such a
 * heading, names that need theirs to be known.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_CSV_H
#define PLUMB_SOURCE_IMPORT_IMPORT_CSV_H

#include "base/arena.h"
#include "base/text.h"

/* The text with such tables rewritten; the text itself where there are none, or none whose unit is known. */
struct view import_csv_turned(struct view text, struct arena *arena);

#endif
