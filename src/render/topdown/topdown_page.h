/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The top-down tree for the terminal, as lines of fields, and as JSON.
 *
 * The text shows two levels, what is below flagged nodes, and information that was computed; JSON and lines have every
 * node.
 */
#ifndef PLUMB_RENDER_TOPDOWN_TOPDOWN_PAGE_H
#define PLUMB_RENDER_TOPDOWN_TOPDOWN_PAGE_H

#include "analyse/topdown/topdown_tree.h"
#include "base/json/json_writer.h"
#include "render/page.h"

/* A stretch of the program that differs from the others. */
struct topdown_phase_row {
    const char *when;  /* "0.0-3.2 s" */
    double seconds;
    bool is_warmup;    /* no part of the answer; it has no tree */
    struct topdown_tree tree;
};

enum { TOPDOWN_INTERVAL_VALUES = 8 };

struct topdown_interval_row {
    double start_s, end_s; /* of an interval */
    const char *core;  /* of a core: its CPUs; else NULL */
    size_t pass;       /* of a pass: 1 …; else 0 */
    size_t count;
    const char *names[TOPDOWN_INTERVAL_VALUES];
    double values[TOPDOWN_INTERVAL_VALUES]; /* shares */
};

struct topdown_page {
    const char *origin;   /* "counts.csv (perf stat -x)" */
    unsigned level_most;  /* deepest level to show; 0: as far as flags lead */
    bool all;             /* nodes below those that aren't flagged, and what was not measured, too */
    const char *const *notes; /* of the input */
    size_t note_count;
    bool is_live;         /* counted here: nodes have intervals */
    /* of the time that all were counted in, as the origin says: no word of it at each node; 0: said at each */
    double turn_ratio;
    const struct topdown_phase_row *phases; /* none when there is one only */
    size_t phase_count;
    const struct topdown_interval_row *intervals; /* -I: of JSON; the others are written as they end */
    size_t interval_count;
    const struct topdown_interval_row *cores; /* --per-core */
    size_t core_count;
    const struct topdown_interval_row *passes; /* where they contradict each other */
    size_t pass_count;
    const char *const *located; /* where the leaf is in the program: lines */
    size_t located_count;
};

/* One interval, for text, and as fields: start, end, name, value, unit. */
void topdown_interval_text(struct page *page, const struct topdown_interval_row *row);
void topdown_interval_lines(struct text *out, const struct topdown_interval_row *row, char separator);
void topdown_text_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what);
/* Its nodes alone, as the text has them. */
void topdown_nodes_write(struct page *page, const struct topdown_tree *tree, const struct topdown_page *what);
void topdown_json_members(struct json_writer *json, const struct topdown_tree *tree, const struct topdown_page *what);
void topdown_json_write(struct text *out, const struct topdown_tree *tree, const struct topdown_page *what);
/* path, value, unit, decision, quality, threshold; "" where there is none. */
void topdown_lines_write(struct text *out, const struct topdown_tree *tree, char separator);

#endif
