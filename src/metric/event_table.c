/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vendors' event names of the machine's processor, by plumb's own tables or published ones (PLUMB_TABLES). */
#include "metric/event_parser.h"

#include "base/vec.h"
#include "metric/table/table_choice.h"

#include <stdlib.h>

enum { TABLE_UNREAD, TABLE_READ, TABLE_ABSENT };

/* The table, read when the first name asks for it; NULL where there is none for this processor. */
static struct metric_table *table_of(struct event_parser *parser, struct error *err)
{
    struct table_choice choice = {.folder = parser->list->tables, .extent = TABLE_EVENTS_ONLY};
    if (parser->table_state != TABLE_UNREAD)
        return parser->table_state == TABLE_READ ? parser->table : NULL;
    parser->table = memory_alloc(sizeof(*parser->table));
    struct error problem = {0};
    parser->table_state =
        metric_table_choose(parser->table, &choice, parser->root, &problem) ? TABLE_READ : TABLE_ABSENT;
    if (parser->table_state == TABLE_READ)
        return parser->table;
    free(parser->table);
    parser->table = NULL;
    if (parser->list->tables && err)
        *err = problem; /* asked for by name: then it must be there */
    else if (getenv("PLUMB_TABLES"))
        parser->table_problem = problem; /* told when a name isn't known */
    return NULL;
}

void event_table_done(struct event_parser *parser)
{
    if (parser->table)
        metric_table_done(parser->table);
    free(parser->table);
    parser->table = NULL;
    parser->table_state = TABLE_UNREAD;
}

/* The PMU of the cores, as sysfs calls it. */
static const char *core_pmu(const struct event_parser *parser)
{
    static const char *const names[] = {"cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3"};
    for (size_t at = 0; at < array_count(names); at++)
        if (sysroot_exists(parser->root, EVENT_PMU_FOLDER "/%s/type", names[at]))
            return names[at];
    return NULL;
}

bool event_table_parse(struct event_parser *parser, struct view name, struct error *err)
{
    if (!memchr(name.text, '.', name.length) && !memchr(name.text, '_', name.length))
        return false; /* no vendor's name: spare the reading */
    struct metric_table *table = table_of(parser, err);
    uint32_t found = table ? table_event_find(table, name) : TABLE_NONE;
    if (found == TABLE_NONE)
        return false;
    const struct table_event *event = &table->events.items[found];
    const char *pmu = event->pmu ? event->pmu : core_pmu(parser);
    const char *shown = arena_string_n(parser->arena, name.text, name.length);
    size_t before = parser->list->count;
    if (!pmu) {
        error_set(err, ERROR_UNSUPPORTED, "'%s' is counted by %s's cores, but this machine shows no PMU of its cores",
                  shown, table->key);
        return error_hint(err, "plumb doctor tells what hides it");
    }
    struct text text = {0};
    table_event_write(event, pmu, &text);
    struct view terms = view_of(arena_string(parser->arena, text.bytes)), whole = terms;
    text_done(&text);
    struct view named = view_cut(&terms, '/');
    terms.length -= 1; /* the closing slash */
    if (!event_pmu_parse(parser, named, terms, whole, err))
        return false;
    for (size_t at = before; at < parser->list->count; at++)
        parser->list->items[at].name = shown;
    return true;
}

void event_table_each(struct event_parser *parser, event_visit *visit, void *context)
{
    struct metric_table *table = table_of(parser, NULL);
    for (size_t at = 0; table && at < table->events.count; at++)
        visit(context, table->events.items[at].name);
}
