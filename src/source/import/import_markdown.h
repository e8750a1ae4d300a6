/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of Markdown whose columns are runs, guests or events: one table for each run.
 *
 * "| kernel | cycles | time |" has a run a row, "| event | before | after |" and "| exit reason | plain | TDX |" have
 * one a column. Other tables stay as they are: import_text_next() reads them line by line.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_MARKDOWN_H
#define PLUMB_SOURCE_IMPORT_IMPORT_MARKDOWN_H

#include "base/arena.h"
#include "base/text.h"

/*
 * The text with such tables as lists of counts, each behind a line that names its run; the text itself where there are
 * none.
 */
struct view import_markdown_turned(struct view text, struct arena *arena);

#endif
