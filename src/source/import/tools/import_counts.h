/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf stat's counts in the forms that aren't a count and a name a line: -x, -j, -I, --per-core and its like. */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_COUNTS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_COUNTS_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such lines added up ("8386784008 cycles:u (100.00%)"), as import_text_next() reads them; the text
 * itself where there are none.
 */
struct view import_counts_turned(struct view text, struct arena *arena);

#endif
