/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_architectural.h"

#include "metric/table/table_build.h"

static const struct {
    const char *name, *unit, *formula, *about;
} rows[] = {
    {"Instructions_Per_Cycle", "", "instructions / cycles", "instructions retired a cycle"},
    {"Clock", "GHz", "cycles / ref\\-cycles * #system_tsc_freq / 1000000000", "mean clock while it ran"},
    {"Branch_Misses_PKI", "", "1000 * branch\\-misses / instructions",
     "wrongly guessed branches per 1000 instructions"},
    {"Branch_Miss_Ratio", "%", "branch\\-misses / branches", "of the branches, those guessed wrongly"},
    {"Cache_Misses_PKI", "", "1000 * cache\\-misses / instructions", "misses of the last cache per 1000 instructions"},
    {"Cache_Miss_Ratio", "%", "cache\\-misses / cache\\-references",
     "of what was asked of the last cache, what it lacked"},
    {"Stalled_Frontend", "%", "stalled\\-cycles\\-frontend / cycles",
     "cycles in which nothing was issued, as no instructions came"},
    {"Stalled_Backend", "%", "stalled\\-cycles\\-backend / cycles",
     "cycles in which nothing was issued, as nothing more could be taken"},
};

void metric_table_architectural(struct metric_table *table)
{
    const struct table_scope scope = {.dialect = EXPRESSION_LINUX};
    *table = (struct metric_table){.source = "the kernel's event names", .key = "architectural events"};
    for (size_t at = 0; at < array_count(rows); at++)
        table_metric_add(table, rows[at].name);
    for (size_t at = 0; at < array_count(rows); at++) {
        struct error err = {0};
        struct table_metric *metric = &table->metrics.items[at];
        metric->about = rows[at].about;
        metric->unit = rows[at].unit;
        metric->scale = strcmp(rows[at].unit, "%") == 0 ? 100 : 1;
        metric->factor = 1;
        if (!table_formula_resolve(table, &metric->value, rows[at].formula, &scope, &err))
            table_metric_problem(table, metric, &err);
    }
    table_order(table);
}
