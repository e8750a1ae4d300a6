/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which row of which table is this one line of another tool's text? A reader for each kind; a line may be a row of
 * several, as "0.5 cycles" is a count and a time: the table that it stands in decides (source/import/import_text).
 *
 * Does not support: rows of more than one line, lines of more than 1 KiB with bars of Markdown in them.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_LINE_H
#define PLUMB_SOURCE_IMPORT_IMPORT_LINE_H

#include "source/import/import_text.h"

/* Views into the line, or into its copy without bars: gone with the next line. */
struct import_line {
    double number, seconds, running_ratio, self; /* as struct import_row */
    struct view name, where, callers;
    struct view map; /* map: of a table of exits, as exit_row has it */
    bool is_bare; /* a whole number and nothing beside it: seconds, or whatever else was counted */
    bool is_of_toplev; /* the name is "DRAM_Bound", which is published as tma_dram_bound */
};

enum { IMPORT_LINE_MOST = 1024 };
/* What stands between a function of a report and who calls it: "futex_wake;do_futex", the nearest first. */
#define IMPORT_CALLERS "  <-- "
/* What perf annotate draws between its columns. */
#define IMPORT_LINE_BAR "\xe2\x94\x82"
/* What stands between a mean and how far runs differ. */
#define IMPORT_LINE_SPREAD "\xc2\xb1"

/* False: it is no row of that kind. copy is where a line of Markdown is kept without its bars. */
bool import_line_read(struct view line, enum import_kind kind, char copy[IMPORT_LINE_MOST],
                      struct import_line *ret_row);
/* The kinds that a line could be a row of, as bits; 0: none. */
unsigned import_line_kinds(struct view line);

#endif
