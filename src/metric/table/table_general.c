/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_general.h"

#include "metric/table/table_build.h"

static const struct {
    const char *metric, *formula;
} rows[] = {
    {"Info_Thread_SLOTS", "topdown.slots_p"},
    {"Frontend_Bound", "(idq_bubbles.core - int_misc.uop_dropping) / topdown.slots_p"},
    {"Fetch_Latency", "(6 * idq_bubbles.cycles_0_uops_deliv.core - int_misc.uop_dropping) / topdown.slots_p"},
    {"Backend_Bound", "topdown.backend_bound_slots / topdown.slots_p"},
    {"Memory_Bound", "topdown.memory_bound_slots / topdown.slots_p"},
    {"Retiring", "uops_retired.slots / topdown.slots_p"},
    {"Heavy_Operations", "uops_retired.heavy / topdown.slots_p"},
    {"Branch_Mispredicts", "topdown.br_mispredict_slots / topdown.slots_p"},
};

bool metric_table_use_general(struct metric_table *table, struct error *err)
{
    const struct table_scope scope = {.dialect = EXPRESSION_PERFMON};
    for (size_t at = 0; at < array_count(rows); at++) {
        uint32_t metric = table_metric_find(table, view_of(rows[at].metric));
        if (metric == TABLE_NONE)
            return error_set(err, ERROR_NOT_FOUND, "these tables have no %s", rows[at].metric);
        struct table_metric *item = &table->metrics.items[metric];
        item->value = (struct table_formula){.text = rows[at].formula};
        if (!table_formula_resolve(table, &item->value, rows[at].formula, &scope, err))
            return error_wrap(err, "%s on general counters", rows[at].metric);
        item->factor = 1;
        item->by_rate = false;
        item->problem = NULL;
    }
    table_order(table);
    return true;
}
