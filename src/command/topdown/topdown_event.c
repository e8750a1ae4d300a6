/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_locate.h"
#include "metric/term_spec.h"

#include <string.h>

enum { PRECISE_MOST = 2 };

struct chooser {
    const struct metric_table *table;
    const struct topdown_tree *tree;
    const struct kernel *kernel;
    const struct sysroot *root;
    struct arena *arena;
    struct term_spec *specs;
};

/* Whether the event opens as a sampling one on this thread, with such precision. */
static bool samples(const struct chooser *chooser, const struct event_spec *spec, unsigned precise)
{
    struct perf_event_attr attr = spec->attr;
    attr.size = sizeof(attr);
    attr.sample_period = 1000003;
    attr.sample_type = PERF_SAMPLE_IP;
    attr.precise_ip = precise & 3;
    attr.disabled = 1;
    for (unsigned user_only = 0; user_only < 2; user_only++) {
        attr.exclude_kernel = attr.exclude_kernel || user_only;
        attr.exclude_hv = attr.exclude_hv || user_only;
        int fd = chooser->kernel->perf_event_open(chooser->kernel->context, &attr, 0, -1, -1, 0);
        if (fd >= 0) {
            chooser->kernel->close(chooser->kernel->context, fd);
            return true;
        }
    }
    return false;
}

static bool event_take(const struct chooser *chooser, struct topdown_event *ret, const struct event_spec *spec, bool wants_precise)
{
    for (unsigned precise = wants_precise ? PRECISE_MOST : 0;; precise--) {
        if (samples(chooser, spec, precise)) {
            ret->name = spec->name;
            ret->spec = *spec;
            ret->spec.attr.precise_ip = precise & 3;
            ret->is_precise = precise > 0;
            return true;
        }
        if (!precise)
            return false;
    }
}

/* One node's events: precise ones first. */
static bool node_take(const struct chooser *chooser, struct topdown_event *ret, const struct table_metric *metric)
{
    for (unsigned wants_precise = 2; wants_precise-- > 0;)
        for (size_t at = 0; at < metric->locate_count; at++) {
            uint32_t term = metric->locate[at], event = chooser->table->terms.items[term].event;
            bool precise = event != TABLE_NONE && chooser->table->events.items[event].precise > 0;
            if (precise == (wants_precise == 1) && chooser->specs[term].count == 1 &&
                event_take(chooser, ret, &chooser->specs[term].specs[0], precise)) {
                ret->node = metric->name;
                return true;
            }
        }
    return false;
}

static bool word_take(const struct chooser *chooser, struct topdown_event *ret, const char *word, const char *name, bool precise)
{
    struct event_list list = {0};
    struct error unknown = {0};
    bool good = event_list_parse(&list, word, chooser->root, chooser->arena, &unknown) && list.count == 1 &&
                event_take(chooser, ret, &list.items[0], false);
    if (good) {
        ret->name = ret->spec.name = name;
        ret->is_precise = precise;
    }
    event_list_done(&list);
    return good;
}

void topdown_event_choose(struct topdown_event *ret_event, const struct metric_table *table, const struct topdown_tree *tree,
                          const struct kernel *kernel, const struct sysroot *root, struct arena *arena)
{
    struct chooser chooser = {.table = table, .tree = tree, .kernel = kernel, .root = root, .arena = arena,
                              .specs = arena_array(arena, struct term_spec, table->terms.count + 1)};
    *ret_event = (struct topdown_event){.node = ""};
    if (tree->leaf == SIZE_MAX)
        return;
    if (strncmp(table->key, "ZEN", 3) == 0 && word_take(&chooser, ret_event, "ibs_op/cnt_ctl=1/", "ibs_op", true)) {
        ret_event->node = tree->nodes[tree->leaf].name;
        ret_event->is_own = true;
        return;
    }
    term_specs_find(chooser.specs, table, NULL, root, arena);
    for (size_t at = tree->leaf; at != SIZE_MAX; at = tree->nodes[at].parent) {
        uint32_t metric = table_metric_find(table, view_of(tree->nodes[at].name));
        if (metric != TABLE_NONE && node_take(&chooser, ret_event, &table->metrics.items[metric])) {
            ret_event->is_own = at == tree->leaf;
            return;
        }
    }
    if (word_take(&chooser, ret_event, "cycles", "cycles", false))
        ret_event->node = "";
}
