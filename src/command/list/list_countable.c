/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an event counts here: it is opened on ourselves for a moment. */
#include "command/list/lister.h"
#include "metric/event.h"
#include "source/live/counters.h"

#include <unistd.h>

enum { TRACEPOINTS_TRIED_MOST = 64 };

/* A few microseconds of something to count. */
static void spin(void)
{
    for (volatile unsigned at = 0; at < 20000; at++)
        ;
}

static void verdict_of_counter(const struct lister *lister, struct counters *counters, char *verdict, size_t size)
{
    struct counter *counter = &counters->items[0];
    struct error reason;
    if (counter->refusal != REFUSAL_NONE) {
        counter_refusal_explain(counter, lister->context->root, &reason);
        snprintf(verdict, size, "%s", reason.message);
        return;
    }
    counters_enable(counters);
    spin();
    counters_disable(counters);
    counters_read(counters);
    bool ran = false;
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
        ran |= counter->values[cell].running_ns > 0;
    snprintf(verdict, size, "%s", !ran                   ? "opens, but never gets a counter"
                                  : counter->user_only   ? "countable for user code only"
                                                         : "countable");
}

/* Open one event on ourselves; "countable", or why not. */
static void verdict_find(const struct lister *lister, const char *name, char *verdict, size_t size)
{
    struct arena arena = {0};
    struct event_list list = {.tables = lister->options.tables};
    struct counters counters = {.kernel = lister->context->kernel};
    struct target target;
    struct error err = {0};
    target_of_workload(&target, getpid(), &arena);
    struct counter_request request = {.events = &list, .target = &target};
    if (event_list_parse(&list, name, lister->context->root, &arena, &err) &&
        counters_open(&counters, &request, lister->context->kernel, lister->context->root, &arena, &err))
        verdict_of_counter(lister, &counters, verdict, size);
    else
        snprintf(verdict, size, "%s", err.message);
    counters_close(&counters);
    event_list_done(&list);
    arena_done(&arena);
}

/* A metric counts where all its events do. */
static void metric_verdict_find(const struct lister *lister, const struct list_entry *entry, char *verdict, size_t size)
{
    const struct metric_table *table = entry->table;
    struct arena arena = {0};
    bool *needed = arena_array(&arena, bool, table->terms.count + 1);
    table_terms_needed(table, (uint32_t)(entry->metric - table->metrics.items), NULL, needed);
    snprintf(verdict, size, "%s", entry->metric->problem ? entry->metric->problem : "countable");
    for (size_t at = 0; at < table->terms.count && strncmp(verdict, "countable", 9) == 0; at++) {
        struct text spelling = {0};
        if (!needed[at])
            continue;
        table_term_write(&table->terms.items[at], "cpu", &spelling);
        char why[400];
        verdict_find(lister, spelling.bytes, why, sizeof(why));
        if (strncmp(why, "countable", 9) != 0)
            snprintf(verdict, size, "%s: %s", table->terms.items[at].name, why);
        text_done(&spelling);
    }
    arena_done(&arena);
}

const char *list_verdict(struct lister *lister, const struct list_entry *entry)
{
    /* the kernel takes 36 ms to let go of each: few that were asked for are opened, else one speaks for all */
    bool one_for_all = lister->kind == LIST_TRACEPOINT &&
                       (lister->pattern_count == 0 || lister->tracepoints_tried >= TRACEPOINTS_TRIED_MOST);
    if (!lister->options.countable || lister->kind == LIST_RAW || lister->kind == LIST_PROBE)
        return NULL;
    lister->tracepoints_tried += lister->kind == LIST_TRACEPOINT;
    bool try_it = !one_for_all || !lister->kind_tried || lister->tracepoints_tried == TRACEPOINTS_TRIED_MOST + 1;
    if (try_it && entry->metric)
        metric_verdict_find(lister, entry, lister->kind_verdict, sizeof(lister->kind_verdict));
    else if (try_it)
        verdict_find(lister, entry->name, lister->kind_verdict, sizeof(lister->kind_verdict));
    if (one_for_all && try_it) {
        size_t used = strlen(lister->kind_verdict);
        snprintf(lister->kind_verdict + used, sizeof(lister->kind_verdict) - used, " (tried: %s)", entry->name);
    }
    lister->kind_tried = true;
    return lister->kind_verdict;
}
