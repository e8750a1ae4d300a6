/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events and metrics of a CPU model: this machine's, or another's. */
#include "base/hashmap.h"
#include "base/scope.h"
#include "command/list/lister.h"
#include "metric/table/metric_name.h"
#include "metric/table/table_choice.h"

static void metrics_show(struct lister *lister, const struct metric_table *table)
{
    scoped_text struct text name = {0}, groups = {0}, also = {0};
    lister->kind = LIST_METRIC;
    vec_for_each(&table->metrics, metric)
    {
        text_clear(&name);
        text_clear(&groups);
        text_clear(&also);
        metric_perf_also(table, metric, &also);
        metric_perf_name(table, metric, &name);
        metric_perf_groups(table, metric, &groups);
        bool same = strcasecmp(text_string(&name), metric->name) == 0;
        list_show(lister, &(struct list_entry){.name = metric->name,
                                               .alias = same ? NULL : text_string(&name),
                                               .about = metric->about,
                                               .groups = text_string(&groups),
                                               .also = text_string(&also),
                                               .metric = metric,
                                               .table = table});
    }
}

static void group_show(struct lister *lister, const struct metric_table *table, const char *group)
{
    scoped_text struct text members = {0};
    vec_for_each(&table->metrics, metric)
    {
        if (!metric_is_meant(table, metric, view_of(group)))
            continue;
        text_add(&members, members.length ? ", " : "");
        metric_perf_name(table, metric, &members);
    }
    list_show(lister, &(struct list_entry){.name = group, .about = text_string(&members), .table = table});
}

/* Each group of metrics once, in the order in which metrics name them. */
static void groups_show(struct lister *lister, const struct metric_table *table)
{
    struct strings seen;
    scoped_text struct text groups = {0};
    strings_init(&seen);
    lister->kind = LIST_METRIC_GROUP;
    vec_for_each(&table->metrics, metric)
    {
        text_clear(&groups);
        metric_perf_groups(table, metric, &groups);
        struct view rest = text_view(&groups);
        while (rest.length) {
            struct view group = view_trim(view_cut(&rest, ';'));
            size_t known = strings_count(&seen);
            uint32_t id = strings_intern_n(&seen, group.text, group.length);
            if (strings_count(&seen) > known)
                group_show(lister, table, strings_text(&seen, id));
        }
    }
    strings_done(&seen);
}

static void table_show(struct lister *lister, const struct metric_table *table)
{
    lister->kind = LIST_TABLE;
    vec_for_each(&table->events, event)
        list_show(lister,
                  &(struct list_entry){.name = event->name, .about = event->about, .event = event, .table = table});
    metrics_show(lister, table);
    if (list_wants_kind(lister, LIST_METRIC_GROUP))
        groups_show(lister, table);
}

/* Formulas are worked out only where what they stand on is shown. */
static struct table_choice choice_of(const struct lister *lister)
{
    const struct list_options *options = &lister->options;
    bool details = options->verbose || options->json || options->countable;
    return (struct table_choice){.cpu = options->cpu, .folder = options->tables,
                                 .extent = details ? TABLE_WHOLE : TABLE_EVENTS_ONLY};
}

bool list_tables_show(struct lister *lister, struct error *err)
{
    struct table_choice choice = choice_of(lister);
    struct metric_table table;
    struct error missing = {0};
    if (!metric_table_choose(&table, &choice, lister->context->root, &missing)) {
        if (!choice.cpu && !choice.folder && missing.kind == ERROR_NOT_FOUND)
            return true; /* a CPU without a table lists what the kernel has */
        *err = missing;
        return false;
    }
    table_show(lister, &table);
    metric_table_done(&table);
    return true;
}

struct near_name {
    const char *name;
    size_t distance;
};

static void near_take(struct near_name *best, size_t count, const char *word, const char *name)
{
    size_t distance = text_distance(word, name), at = count;
    if (distance > strlen(word) / 3 + 1)
        return;
    while (at > 0 && best[at - 1].distance > distance)
        at--;
    if (at == count)
        return;
    memmove(&best[at + 1], &best[at], (count - at - 1) * sizeof(*best));
    best[at] = (struct near_name){name, distance};
}

void list_tables_nearest(const struct lister *lister, const char *word, char *names, size_t size)
{
    struct near_name best[4] = {{NULL, SIZE_MAX}, {NULL, SIZE_MAX}, {NULL, SIZE_MAX}, {NULL, SIZE_MAX}};
    struct table_choice choice = choice_of(lister);
    struct metric_table table;
    struct error ignored;
    choice.extent = TABLE_EVENTS_ONLY;
    if (!metric_table_choose(&table, &choice, lister->context->root, &ignored))
        return;
    vec_for_each(&table.events, event)
        near_take(best, array_count(best), word, event->name);
    vec_for_each(&table.metrics, metric)
        near_take(best, array_count(best), word, metric->name);
    for (size_t at = 0; at < array_count(best) && best[at].name; at++) {
        size_t used = strlen(names);
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", best[at].name);
    }
    metric_table_done(&table);
}
