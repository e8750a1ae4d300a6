/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was counted for the top-down tree, as a part of a case (topdown.json), and the tree that it gives, here or
 * anywhere.
 *
 * Kept are counts as they were read, window by window, with the names of plumb's own tables: formulas and thresholds
 * are those of the plumb that reads. Neighbouring windows are put together where there are more than WINDOWS_MOST.
 * Does not support: tables of a folder (PLUMB_TABLES), whose CPU must have built-in ones as well.
 */
#ifndef PLUMB_ANALYSE_TOPDOWN_TOPDOWN_COUNTS_H
#define PLUMB_ANALYSE_TOPDOWN_TOPDOWN_COUNTS_H

#include "analyse/topdown/topdown_tree.h"
#include "analyse/topdown/topdown_values.h"
#include "base/json/json_reader.h"
#include "base/text.h"

struct topdown_counts {
    const struct metric_table *table;
    bool general;              /* the table's first levels are those of general counters (table_general.h) */
    const char *origin;        /* "measured by plumb 0.1.0" */
    const struct metric_group *groups;
    size_t group_count;
    const struct metric_place *places; /* of each of the table's metrics */
    struct measured constants[TABLE_CONSTANT_COUNT];
    bool user_only;            /* the kernel was not counted */
    bool by_sample_time;       /* windows' times are those of the case's samples */
    const char *const *notes;  /* what to keep in mind: counters that others hold, … */
    size_t note_count;
};

void topdown_counts_write(const struct topdown_counts *counts, struct text *out);
/*
 * ret_table is the counts' table. Errors: ERROR_FORMAT; ERROR_NOT_FOUND, no built-in table for its CPU. Owner of the
 * table: the caller (metric_table_done); of all else: arena.
 */
MUST_CHECK bool topdown_counts_read(struct topdown_counts *counts, struct metric_table *ret_table,
                                    struct json_value root, struct arena *arena, struct error *err);
struct topdown_counted {
    struct topdown_tree tree;
    const char *origin; /* "counted beside the samples: 12 groups of events in turns, each in 8 % of the time" */
    double turn_ratio;  /* share of the time that a group was counted in, on average */
    bool has_first_level; /* else single nodes are known, and no tree says what limits it */
    bool user_only;
    const char *const *notes;
    size_t note_count;
};

/* False: no node is known. Names are the table's. Owner of all else: arena. */
bool topdown_counts_tree(struct topdown_counted *ret_counted, const struct topdown_counts *counts, struct arena *arena);
/* Why nothing of the first level is. */
const char *topdown_why_unknown(const struct topdown_counted *counted);
/*
 * The node that a name means ("tma_dram_bound"), whose value is a share of a whole and can be one; NULL: there is none
 * that is known.
 */
const struct topdown_node *topdown_counted_share(const struct topdown_counted *counted, const char *name);

#endif
