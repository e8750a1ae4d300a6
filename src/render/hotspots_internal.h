/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the table of hotspots and the same by levels (--hierarchy) share. */
#ifndef PLUMB_RENDER_HOTSPOTS_INTERNAL_H
#define PLUMB_RENDER_HOTSPOTS_INTERNAL_H

#include "render/hotspots.h"

struct column {
    const char *heading;
    size_t width_least;
    bool right; /* numbers stand at the right */
};

struct table {
    const struct hotspots *hotspots;
    const struct hotspots_layout *layout;
    size_t widths[HOTSPOT_COLUMNS_MOST];
};

struct column hotspot_column_of(const struct hotspots *hotspots, enum hotspot_column column);
bool hotspot_column_is_number(enum hotspot_column column);
void hotspot_cell_add(struct text *cell, enum hotspot_column column, const struct hotspots *hotspots,
                      const struct hotspot *row, const struct hotspots_layout *layout);
/* A name with separators in it, from `begin` on, must not look like several cells. */
void hotspot_cell_separate(struct text *out, size_t begin, const char *separator);
/* One number of the column, at the right of so many places. */
void hotspot_number_add(struct text *cell, enum hotspot_column column, const struct hotspot_counts *counts,
                        size_t width);
/* The row's call tree, below it. */
void hotspot_tree_add(struct text *out, const struct table *table, const struct hotspot *row);

/* Each key's rows below those of the key before it. */
void hotspots_hierarchy_text(struct text *out, const struct table *table);

#endif
