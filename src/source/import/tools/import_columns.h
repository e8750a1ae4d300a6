/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf stat's top-down metrics side by side, with their names above them, as it prints them with --topdown and
 * --metric-only; and those of a sentence.
 */
#ifndef PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_COLUMNS_H
#define PLUMB_SOURCE_IMPORT_TOOLS_IMPORT_COLUMNS_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such numbers a line each ("7.1 % tma_frontend_bound"), as import_text_next() reads them; the text
 * itself where there are none.
 */
struct view import_columns_turned(struct view text, struct arena *arena);

#endif
