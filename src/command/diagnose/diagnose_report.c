/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_report.h"

#include "base/scope.h"
#include "command/html_file.h"
#include "render/report/report.h"

enum {
    NODES_MOST = 300000, /* of the flame graph: some megabytes */
    FUNCTIONS_MOST = 12, /* whose code is shown */
    PARTS_MOST = 8,
};

struct parts {
    struct report_part items[PARTS_MOST];
    size_t count;
};

static void part_add(struct parts *parts, const char *name, const struct text *json)
{
    if (json->length)
        parts->items[parts->count++] = (struct report_part){name, {text_string(json), json->length}};
}

static void code_add(struct text *out, const struct loaded_case *loaded, const struct sysroot *root,
                     struct arena *arena)
{
    struct source_text *source = source_text_new(root, NULL);
    struct code_listing listing;
    code_listing_find(&listing, &loaded->stalls, &loaded->bundle, source, FUNCTIONS_MOST, arena);
    report_code_json(out, &listing, &loaded->stalls);
    source_text_free(source);
}

static void exits_part(struct text *out, const struct exits *exits, struct arena *arena)
{
    struct exit_table table;
    const struct exit_table_options options = {.only_vcpu = -1};
    exit_table_build(&table, exits, &options, arena);
    report_exits_json(out, &table);
}

static void topdown_part(struct text *out, const struct results *results, struct arena *arena)
{
    struct topdown_reported reported;
    if (results->topdown) {
        report_counted_json(out, results->topdown);
        return;
    }
    if (!topdown_reported_find(&reported, results->imported, arena))
        return;
    report_topdown_json(out, &reported, arena);
    topdown_reported_done(&reported);
}

bool diagnose_report_write(const char *path, const struct loaded_case *loaded, struct view findings,
                           const struct sysroot *root, struct error *err)
{
    scoped_text struct text stacks = {0}, times = {0}, code = {0}, pages = {0}, machine = {0}, exits = {0},
                            topdown = {0}, page = {0};
    struct parts parts = {.items = {{"diagnosis", findings}}, .count = 1};
    struct arena arena;
    arena_init(&arena);
    if (loaded->has_recording) {
        struct stack_tree tree;
        stack_tree_find(&tree, &loaded->capture.recording, &loaded->bundle, NODES_MOST, &arena);
        report_stacks_json(&stacks, &tree);
        struct timeline timeline;
        timeline_find(&timeline, &loaded->capture.recording, &loaded->bundle, &arena);
        if (timeline.slice_count)
            report_timeline_json(&times, &timeline);
    }
    if (loaded->results.stalls)
        code_add(&code, loaded, root, &arena);
    if (loaded->pages_count)
        report_pages_json(&pages, loaded->pages, loaded->pages_count);
    if (loaded->results.surroundings)
        report_machine_json(&machine, loaded->results.surroundings);
    if (loaded->has_exits)
        exits_part(&exits, &loaded->exits, &arena);
    topdown_part(&topdown, &loaded->results, &arena);
    part_add(&parts, "topdown", &topdown);
    part_add(&parts, "exits", &exits);
    part_add(&parts, "stacks", &stacks);
    part_add(&parts, "timeline", &times);
    part_add(&parts, "code", &code);
    part_add(&parts, "pages", &pages);
    part_add(&parts, "machine", &machine);
    report_html(&page, parts.items, parts.count);
    arena_done(&arena);
    return html_file_write(path, &page, err);
}
