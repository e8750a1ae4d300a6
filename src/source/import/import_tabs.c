/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_tabs.h"

#include "base/scope.h"
#include "source/import/import_cells.h"

#include <ctype.h>

enum { COLUMNS_LEAST = 2 };

/* Names of columns; the first one may be empty. */
static bool is_heading(const struct cells *cells)
{
    bool is_one = cells->count >= COLUMNS_LEAST;
    for (size_t at = 0; at < cells->count; at++) {
        struct view cell = cells->items[at];
        is_one &= cell.length ? isalpha((unsigned char)cell.text[0]) != 0 : !at;
    }
    return is_one;
}

/* A name, and a number somewhere behind it. */
static bool is_row(const struct cells *cells, size_t columns)
{
    bool has_number = false;
    double ignored;
    for (size_t at = 1; at < cells->count; at++) {
        struct view cell = cells->items[at];
        has_number |= view_grouped(view_word(&cell), &ignored);
    }
    return has_number && cells->count == columns && cells->items[0].length;
}

static void row_put(struct text *out, const struct cells *cells)
{
    text_add(out, "|");
    for (size_t at = 0; at < cells->count; at++)
        text_printf(out, " %.*s |", (int)cells->items[at].length, cells->items[at].text);
    text_add_char(out, '\n');
}

/* False, and nothing is put: no table begins here. */
static bool table_put(struct text *out, struct view *text, struct cells *heading, struct cells *cells)
{
    struct view line, rest = *text;
    size_t rows = 0;
    if (!view_line(&rest, &line) || view_find(line, "\t") < 0 || view_find(line, "|") >= 0)
        return false;
    cells_at(line, '\t', heading);
    if (!is_heading(heading))
        return false;
    for (struct view after = rest; view_line(&after, &line); rest = after) {
        cells_at(line, '\t', cells);
        if (!is_row(cells, heading->count))
            break;
        if (!rows++) {
            text_add_char(out, '\n');
            row_put(out, heading);
            text_add(out, "|");
            for (size_t column = 0; column < heading->count; column++)
                text_add(out, "---|");
            text_add_char(out, '\n');
        }
        row_put(out, cells);
    }
    if (!rows)
        return false;
    text_add_char(out, '\n');
    *text = rest;
    return true;
}

struct view import_tabs_turned(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct cells *cells = arena_array(arena, struct cells, 2);
    struct view line, rest = text;
    bool turned = false;
    while (rest.length) {
        if (table_put(&out, &rest, &cells[0], &cells[1])) {
            turned = true;
            continue;
        }
        (void)view_line(&rest, &line);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
