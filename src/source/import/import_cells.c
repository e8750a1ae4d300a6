/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_cells.h"

#include <string.h>

void cells_at(struct view line, char separator, struct cells *ret_cells)
{
    ret_cells->count = 0;
    line = view_trim(line);
    if (separator == '|')
        line = view_skip(line, view_starts(line, "|"));
    while (line.length && ret_cells->count < CELLS_MOST)
        ret_cells->items[ret_cells->count++] = view_trim(view_cut(&line, separator));
}

void cells_in_columns(struct view line, struct cells *ret_cells)
{
    ret_cells->count = 0;
    line = view_trim(line);
    while (view_starts(line, "#"))
        line = view_trim(view_skip(line, 1));
    while (line.length && ret_cells->count < CELLS_MOST) {
        ptrdiff_t end = view_find(line, "  ");
        struct view cell = {line.text, end < 0 ? line.length : (size_t)end};
        ret_cells->items[ret_cells->count++] = cell;
        line = view_trim(view_skip(line, cell.length));
    }
}

ptrdiff_t cell_named(const struct cells *cells, const char *name)
{
    for (size_t at = 0; at < cells->count; at++)
        if (view_equal(cells->items[at], name))
            return (ptrdiff_t)at;
    return -1;
}

struct view cell_at(const struct cells *cells, ptrdiff_t column)
{
    return column >= 0 && (size_t)column < cells->count ? cells->items[column] : (struct view){0};
}

bool cells_are_rule(struct view line)
{
    line = view_trim(line);
    for (size_t at = 0; at < line.length; at++)
        if (!line.text[at] || !strchr("|-: ", line.text[at]))
            return false;
    return line.length > 2 && view_find(line, "-") >= 0;
}
