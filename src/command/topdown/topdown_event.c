/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_locate.h"
#include "metric/term_spec.h"

#include <string.h>

enum { PRECISE_MOST = 2, PRECISE_ONLY = 2 /* the table's: without PEBS its samples mean nothing */ };

struct finder {
    struct topdown_events *events;
    const struct metric_table *table;
    const struct sysroot *root;
    struct arena *arena;
    struct term_spec *specs;
};

static void event_put(const struct finder *finder, const struct topdown_event *event, unsigned precise)
{
    struct topdown_event *put = vec_push(&finder->events->list);
    *put = *event;
    put->spec.attr.precise_ip = precise & 3;
    if (put->kind != TOPDOWN_EVENT_IBS)
        put->kind = precise ? TOPDOWN_EVENT_PRECISE : TOPDOWN_EVENT_LATE;
}

static unsigned precision_of(const struct metric_table *table, uint32_t term)
{
    uint32_t event = table->terms.items[term].event;
    return event == TABLE_NONE ? 0 : table->events.items[event].precise;
}

/* As precisely as it can be, and then less so. */
static void term_put(const struct finder *finder, uint32_t term, const char *node, bool is_own)
{
    const struct term_spec *found = &finder->specs[term];
    struct topdown_event event = {.name = finder->table->terms.items[term].name, .node = node, .is_own = is_own};
    unsigned precise = precision_of(finder->table, term);
    if (found->count != 1) {
        event.why_not = found->count     ? "several PMUs count it"
                        : found->why_not ? found->why_not
                                         : "this machine's kernel has no word for it";
        event_put(finder, &event, 0);
        return;
    }
    event.spec = found->specs[0];
    for (unsigned level = precise ? PRECISE_MOST : 0; level; level--)
        event_put(finder, &event, level);
    if (precise != PRECISE_ONLY)
        event_put(finder, &event, 0);
}

static void node_put(const struct finder *finder, const struct table_metric *metric, bool is_own)
{
    for (unsigned wants_precise = 2; wants_precise-- > 0;)
        for (size_t at = 0; at < metric->locate_count; at++)
            if ((precision_of(finder->table, metric->locate[at]) > 0) == (wants_precise == 1))
                term_put(finder, metric->locate[at], metric->name, is_own);
}

static void word_put(const struct finder *finder, const char *word, struct topdown_event event)
{
    struct event_list list = {0};
    struct error unknown = {0};
    if (event_list_parse(&list, word, finder->root, finder->arena, &unknown) && list.count == 1) {
        event.spec = list.items[0];
        event.spec.name = event.name;
    } else {
        event.why_not = arena_string(finder->arena, unknown.message);
    }
    event_put(finder, &event, 0);
    event_list_done(&list);
}

void topdown_events_find(struct topdown_events *events, const struct metric_table *table,
                         const struct topdown_tree *tree, const struct sysroot *root, struct arena *arena)
{
    struct finder finder = {.events = events, .table = table, .root = root, .arena = arena,
                            .specs = arena_array(arena, struct term_spec, table->terms.count + 1)};
    if (tree->leaf == SIZE_MAX)
        return;
    if (strncmp(table->key, "ZEN", 3) == 0)
        word_put(
            &finder, "ibs_op/cnt_ctl=1/",
            (struct topdown_event){
                .name = "ibs_op", .node = tree->nodes[tree->leaf].name, .kind = TOPDOWN_EVENT_IBS, .is_own = true});
    term_specs_find(finder.specs, table, NULL, root, arena);
    for (size_t at = tree->leaf; at != SIZE_MAX; at = tree->nodes[at].parent) {
        uint32_t metric = table_metric_find(table, view_of(tree->nodes[at].name));
        if (metric != TABLE_NONE)
            node_put(&finder, &table->metrics.items[metric], at == tree->leaf);
    }
    word_put(&finder, "cycles", (struct topdown_event){.name = "cycles", .node = ""});
}
