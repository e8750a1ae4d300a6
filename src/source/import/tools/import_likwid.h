/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What likwid-perfctr counted, in tables or by -o FILE.csv: counts as perf stat has them, and the classes of its group
 * TMA. Of several hardware threads counts are added up, and classes weigh as long as each ran.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_LIKWID_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_LIKWID_H

#include "base/arena.h"
#include "base/text.h"

/* The text with such lines as import_text_next() reads them; the text itself where there are none. */
struct view import_likwid_turned(struct view text, struct arena *arena);

#endif
