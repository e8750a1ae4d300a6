/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts whose thousands stand apart by blanks, as perf prints them in some languages: "44 120 903 881      cycles". */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_THOUSANDS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_THOUSANDS_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such counts in one piece, where they begin a line and a name stands behind them; the text itself where
 * there are none.
 */
struct view import_thousands_turned(struct view text, struct arena *arena);

#endif
