/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the loaders fill a table: events first, then metrics by their texts, then one call resolves all.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_BUILD_H
#define PLUMB_METRIC_TABLE_TABLE_BUILD_H

#include "metric/table/table.h"

/* A new event under this name in any case, or the one that is there already (the last said wins). */
struct table_event *table_event_add(struct metric_table *table, struct view name);
/* A new metric, or the one of this name, emptied. */
struct table_metric *table_metric_add(struct metric_table *table, const char *name);

/* The term of this name, added when it is new. */
uint32_t table_term_put(struct metric_table *table, const struct table_term *term);

/* A name that a formula uses for another: an alias. */
struct table_alias {
    struct view alias, name;
};

/* What names mean inside one formula. */
struct table_scope {
    enum expression_dialect dialect;
    const struct table_alias *aliases; /* of this formula; NULL: names stand for themselves */
    size_t alias_count;
    bool shown_values;   /* metrics count as they are shown (percent), not as fractions */
    bool metric_prefix;  /* metrics may be written tma_NAME */
};

/* Parse text and resolve its names; metrics may be resolved before they are computed, but must have been added. */
MUST_CHECK bool table_formula_resolve(struct metric_table *table, struct table_formula *formula, const char *text,
                                      const struct table_scope *scope, struct error *err);

/* Put metrics in the order of evaluation; those that refer to themselves get a problem. */
void table_order(struct metric_table *table);

/* Whether these are the cores that a table speaks of: "cpu", "cpu_core", "armv8_pmuv3_0". */
bool table_is_core_pmu(struct view pmu);

/* Text in the table's arena, in lower case. */
const char *table_lower(struct metric_table *table, struct view text);

/* Another name that a metric is found by. */
void table_metric_also(struct metric_table *table, struct table_metric *metric, const char *also);

/* Keep the first problem of a metric. */
void table_metric_problem(struct metric_table *table, struct table_metric *metric, const struct error *err);

#endif
