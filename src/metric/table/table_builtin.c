/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/table/table_builtin.h"

#include "metric/table/table_build.h"
#include "metric/table/table_builtin_rows.h"

static const char *text_at(uint32_t offset)
{
    return &builtin_text[offset];
}

const char *metric_table_builtin_cpu(size_t index)
{
    return index < builtin_cpu_count ? builtin_cpus[index] : NULL;
}

static void event_add(struct metric_table *table, const struct builtin_event *row)
{
    struct table_event *event = table_event_add(table, view_of(text_at(row->name)));
    event->about = text_at(row->about);
    event->pmu = row->pmu ? text_at(row->pmu) : NULL;
    event->errata = row->errata ? text_at(row->errata) : NULL;
    event->code = (struct event_code){
        .event = row->event, .umask = row->umask, .cmask = row->cmask, .known = true,
        .invert = row->flags & BUILTIN_INVERT, .edge = row->flags & BUILTIN_EDGE,
        .any_thread = row->flags & BUILTIN_ANY_THREAD,
        .offcore = row->offcore, .frontend = row->frontend, .latency = row->latency,
    };
    event->counters = row->counters;
    event->fixed = row->fixed;
    event->period = row->period;
    event->precise = row->precise;
    event->latency_default = row->latency_default;
    event->alone = row->flags & BUILTIN_ALONE;
}

static void metric_add(struct metric_table *table, const struct builtin_metric *row)
{
    struct table_metric *metric = table_metric_add(table, text_at(row->name));
    metric->about = text_at(row->about);
    table_metric_also(table, metric, text_at(row->also));
    metric->groups = text_at(row->groups);
    metric->domain = text_at(row->domain);
    metric->see_also = text_at(row->see_also);
    metric->unit = text_at(row->unit);
    metric->scale = strcmp(metric->unit, "%") == 0 ? 100 : 1;
    metric->parent_name = text_at(row->parent);
    metric->level = row->level;
    metric->value.text = text_at(row->value);
    metric->threshold.text = text_at(row->threshold);
}

static void formula_set(struct metric_table *table, struct table_metric *metric, struct table_formula *formula)
{
    const struct table_scope scope = {.dialect = EXPRESSION_PERFMON};
    struct error err = {0};
    if (formula->text[0] && !table_formula_resolve(table, formula, formula->text, &scope, &err))
        table_metric_problem(table, metric, &err);
}

static void locate_set(struct metric_table *table, struct table_metric *metric, struct view list)
{
    uint32_t terms[16];
    size_t count = 0;
    while (list.length && count < array_count(terms)) {
        struct error err = {0};
        if (table_term_resolve(table, view_trim(view_cut(&list, ';')), &terms[count], &err))
            count++;
        else
            table_metric_problem(table, metric, &err);
    }
    metric->locate = arena_copy(&table->arena, terms, count * sizeof(terms[0]));
    metric->locate_count = count;
}

static void formulas_resolve(struct metric_table *table, uint32_t cpu)
{
    size_t at = 0;
    for (size_t row = 0; row < builtin_metric_count; row++) {
        if (!(builtin_metrics[row].cpus & cpu))
            continue;
        struct table_metric *metric = &table->metrics.items[at++];
        formula_set(table, metric, &metric->value);
        formula_set(table, metric, &metric->threshold);
        locate_set(table, metric, view_of(text_at(builtin_metrics[row].locate)));
    }
}

bool metric_table_builtin(struct metric_table *table, const char *key, enum table_extent extent)
{
    uint32_t cpu = 0;
    for (size_t at = 0; at < builtin_cpu_count; at++)
        cpu |= strcasecmp(key, builtin_cpus[at]) == 0 ? 1u << at : 0;
    if (!cpu)
        return false;
    *table = (struct metric_table){.source = "built in"};
    table->key = arena_string(&table->arena, key);
    for (size_t at = 0; at < builtin_event_count; at++)
        if (builtin_events[at].cpus & cpu)
            event_add(table, &builtin_events[at]);
    for (size_t at = 0; at < builtin_metric_count; at++)
        if (builtin_metrics[at].cpus & cpu)
            metric_add(table, &builtin_metrics[at]);
    if (extent == TABLE_WHOLE)
        formulas_resolve(table, cpu);
    table_order(table);
    return true;
}
