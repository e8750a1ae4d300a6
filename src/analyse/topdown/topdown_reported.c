/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/topdown/topdown_reported.h"

#include "metric/table/table_builtin.h"
#include "metric/table/table_reading.h"

#include <string.h>

static bool is_metrics(const struct imported_table *table)
{
    return table->kind == IMPORTED_METRICS;
}

/* The node that a name means; TABLE_NONE: no such metric, or one outside the tree. */
static uint32_t node_named(const struct metric_table *table, const char *name)
{
    uint32_t found = table_metric_printed(table, name);
    return found != TABLE_NONE && table->metrics.items[found].level ? found : TABLE_NONE;
}

static size_t names_known(const struct metric_table *table, const struct imported *imported)
{
    size_t known = 0;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; is_metrics(&imported->tables[at]) && row < imported->tables[at].count; row++)
            known += node_named(table, imported->tables[at].rows[row].name) != TABLE_NONE;
    return known;
}

/* The CPU whose tables know most of the names; NULL: none knows any. */
static const char *cpu_knowing(const struct imported *imported)
{
    const char *cpu, *best = NULL;
    size_t most = 0;
    for (size_t at = 0; (cpu = metric_table_builtin_cpu(at)); at++) {
        struct metric_table table;
        if (!metric_table_builtin(&table, cpu, TABLE_EVENTS_ONLY))
            continue;
        size_t known = names_known(&table, imported);
        if (known > most) {
            most = known;
            best = cpu;
        }
        metric_table_done(&table);
    }
    return best;
}

static const char *listed(struct arena *arena, const char *list, const char *name)
{
    return arena_printf(arena, "%s%s%s", list, list[0] ? ", " : "", name);
}

/* Percentages as imported, by metric of the table. */
static const struct measured *values_take(struct topdown_reported *reported, const struct imported *imported,
                                          struct arena *arena)
{
    const struct metric_table *table = &reported->table;
    struct measured *given = arena_array(arena, struct measured, table->metrics.count + 1);
    const char *file = "";
    for (size_t at = 0; at < table->metrics.count; at++)
        given[at] = not_measured("it wasn't imported");
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *from = &imported->tables[at];
        for (size_t row = 0; is_metrics(from) && row < from->count; row++) {
            uint32_t metric = node_named(table, from->rows[row].name);
            if (metric == TABLE_NONE) {
                reported->strange = listed(arena, reported->strange, from->rows[row].name);
                continue;
            }
            if (given[metric].known)
                continue;
            given[metric] = measured_as(from->rows[row].number / 100);
            if (strcmp(file, from->file) != 0)
                reported->files = listed(arena, reported->files, from->file);
            file = from->file;
        }
    }
    return given;
}

bool topdown_reported_find(struct topdown_reported *ret_reported, const struct imported *imported, struct arena *arena)
{
    const char *cpu = imported ? cpu_knowing(imported) : NULL;
    struct topdown_reported reported = {.files = "", .strange = ""};
    if (!cpu || !metric_table_builtin(&reported.table, cpu, TABLE_WHOLE))
        return false;
    struct measured constants[TABLE_CONSTANT_COUNT];
    struct table_readings readings;
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        constants[at] = not_measured("not said");
    table_readings_fill(&readings, &reported.table, NULL, 0, constants, arena);
    topdown_tree_find(&reported.tree, &reported.table, &readings, values_take(&reported, imported, arena), arena);
    *ret_reported = reported;
    return true;
}

void topdown_reported_done(struct topdown_reported *reported)
{
    metric_table_done(&reported->table);
}
