/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of one line of a table, each without the blanks around it. */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_CELLS_H
#define PLUMB_SOURCE_IMPORT_IMPORT_CELLS_H

#include "base/text.h"

enum { CELLS_MOST = 1024 };

/* Owner of their text: the line's. */
struct cells {
    struct view items[CELLS_MOST];
    size_t count;
};

/* The line below the heading of a table of Markdown: "|---|---:|". */
bool cells_are_rule(struct view line);
/* What stands between separators; a first '|' opens the line. */
void cells_at(struct view line, char separator, struct cells *ret_cells);
/* Two blanks stand between columns, one within a name; a '#' before the line is none of it. */
void cells_in_columns(struct view line, struct cells *ret_cells);
/* Index of the cell that is so called; -1: none is. */
ptrdiff_t cell_named(const struct cells *cells, const char *name);
/* Empty: the line has none there. */
struct view cell_at(const struct cells *cells, ptrdiff_t column);

#endif
