/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hotspots as a table for the eye or for a spreadsheet, with call trees below the rows: the layout of perf report. */
#ifndef PLUMB_RENDER_HOTSPOTS_H
#define PLUMB_RENDER_HOTSPOTS_H

#include "analyse/profile/hotspots.h"
#include "base/text.h"

enum tree_style {
    TREE_NONE,
    TREE_GRAPH,  /* branches drawn; shares of the whole */
    TREE_FRACTAL, /* branches drawn; shares of the caller */
    TREE_FLAT,   /* one block a path */
    TREE_FOLDED, /* one line a path */
};

enum tree_value {
    TREE_PERCENT,
    TREE_PERIOD,
    TREE_SAMPLES,
};

struct hotspots_layout {
    enum hotspot_column columns[HOTSPOT_COLUMNS_MOST];
    size_t column_count;
    uint32_t widths[HOTSPOT_COLUMNS_MOST]; /* of the columns; 0: as wide as what is in it */
    const char *separator; /* NULL: columns padded with blanks */
    enum tree_style tree_style;
    enum tree_value tree_value;
    bool by_children; /* rows count what they called: percent_least is about that */
    bool trunk_named_by_row; /* the row's first word says where its tree begins: don't repeat it */
    bool tree_lines;          /* branches say the source line, too */
    uint32_t tree_most;       /* branches of a node, or paths of a row, to show; 0: all */
    double percent_least; /* rows below are left out */
    bool heading;
    bool hierarchy; /* a key's rows stand below those of the key before it */
    bool mark_profiler; /* functions of the kernel that are a profiler's own cost say so */
    bool verbose; /* interval of each share, as a column behind the others */
};

void hotspots_text(struct text *out, const struct hotspots *hotspots, const struct hotspots_layout *layout);

#endif
