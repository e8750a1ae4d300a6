/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the top-down tree, counted group by group beside the samples of one and the same run. */
#include "analyse/topdown/topdown_counts.h"
#include "base/clock.h"
#include "base/scope.h"
#include "capture/counters/turn_counters.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/topdown/topdown_machine.h"
#include "command/topdown/topdown_session.h"
#include "finding/topdown_rows.h"

#include <stdlib.h>

enum { LEVEL_ALL = 3 }; /* all nodes down to here; deeper ones where a hypothesis asks for them */

struct tree_counting {
    struct topdown_machine machine;
    struct topdown_setup setup;
    struct topdown_session session;
    struct topdown_step *step;
    struct scheduled_counters_request request;
    struct turn_counters *turns; /* of this run; NULL: none */
    struct pass_record all;      /* over all runs: their windows one after the other */
};

static const char gap_name[] = "the top-down tree";

static void tree_gap(struct collection *collection, const char *why)
{
    case_manifest_gap(&collection->manifest, &collection->arena, gap_name, why);
}

/* ---- what to count ----------------------------------------------------------------------------------------- */

/* A node's thresholds ask for all above it. */
static void node_ask(const struct metric_table *table, bool *asked, uint32_t metric)
{
    for (; metric != TABLE_NONE && !asked[metric]; metric = table->metrics.items[metric].parent)
        asked[metric] = true;
}

static size_t metrics_choose(const struct metric_table *table, uint32_t *ret, struct arena *arena)
{
    const struct topdown_row *row;
    bool *asked = arena_array(arena, bool, table->metrics.count + 1);
    size_t count = 0;
    for (size_t at = 0; (row = topdown_row_at(at)); at++)
        for (size_t name = 0; name < TOPDOWN_ROW_METRICS && row->metrics[name]; name++) {
            uint32_t metric = table_metric_printed(table, row->metrics[name]);
            if (metric != TABLE_NONE && table->metrics.items[metric].level)
                node_ask(table, asked, metric);
        }
    for (uint32_t at = 0; at < table->metrics.count; at++)
        if (asked[at] || (table->metrics.items[at].level && table->metrics.items[at].level <= LEVEL_ALL))
            ret[count++] = at;
    return count;
}

/* What is sampled by cycles has a counter all the time: the fixed one, or one of the others. */
static void sampler_spare(struct schedule_pmu *pmu, bool is_precise)
{
    enum { FIXED_CYCLES_STEP = 0, ONE_MORE_STEP = 2 };
    uint32_t fixed = pmu->fixed;
    if (!is_precise) /* which no fixed counter can count */
        (void)schedule_pmu_give_up(pmu, FIXED_CYCLES_STEP);
    if (pmu->fixed == fixed)
        (void)schedule_pmu_give_up(pmu, ONE_MORE_STEP);
}

static bool watches_cpus(const struct collection *collection)
{
    const struct target_request *target = collection->request->target;
    return target && (target->all_cpus || target->cpus);
}

static bool tree_plan(struct tree_counting *tree, const struct collection *collection, struct error *err)
{
    const struct context *context = collection->context;
    struct metric_table *table = &tree->machine.table;
    tree->setup = (struct topdown_setup){.kernel = context->kernel,
                                         .root = context->root,
                                         .table = table,
                                         .pmu = tree->machine.pmu,
                                         .constants = tree->machine.constants,
                                         .cpu_id = table->cpu_id};
    /* what a core counts for both of its threads is no task's */
    tree->setup.pmu.counts_tasks = !watches_cpus(collection);
    if (collection->by_cycles)
        sampler_spare(&tree->setup.pmu, collection->precise);
    topdown_session_init(&tree->session, &tree->setup);
    uint32_t *metrics = arena_array(&tree->session.arena, uint32_t, table->metrics.count + 1);
    size_t count = metrics_choose(table, metrics, &tree->session.arena);
    return topdown_step_plan(&tree->session, metrics, count, &tree->step, &tree->request, err);
}

/* NULL: it can. */
static const char *why_no_tree(const struct tree_counting *tree)
{
    if (tree->machine.levels)
        return NULL;
    return tree->machine.notes.count ? tree->machine.notes.items[0]
                                     : "this PMU counts architectural events alone, of which no tree can be made";
}

void tree_prepare(struct collection *collection)
{
    struct error err = {0};
    struct tree_counting *tree = memory_alloc(sizeof(*tree));
    *tree = (struct tree_counting){0};
    bool counts =
        topdown_machine_find(&tree->machine, NULL, collection->context->kernel, collection->context->root, &err);
    const char *why = counts ? why_no_tree(tree) : NULL; /* without a PMU: "hardware counters" says it */
    if (counts && !why && !tree_plan(tree, collection, &err))
        why = err.message;
    if (counts && !why && !tree->request.group_count)
        why = "none of its groups of events had a turn on the counters: others hold them";
    if (why)
        tree_gap(collection, why);
    collection->tree = tree;
    if (!counts || why)
        tree_free(collection);
}

void tree_free(struct collection *collection)
{
    struct tree_counting *tree = collection->tree;
    if (!tree)
        return;
    turn_counters_free(tree->turns);
    if (tree->session.setup)
        topdown_session_done(&tree->session);
    topdown_machine_done(&tree->machine);
    free(tree);
    collection->tree = NULL;
}

/*
 * Each event is opened for each thread, or CPU: what many threads would make of all groups takes longer to open than to
 * watch.
 */
static void tree_limit(struct tree_counting *tree, const struct target *target)
{
    enum { CELLS_MOST = 12000, LEVEL_FEW = 2 };
    size_t places = target->kind == TARGET_CPUS ? target->cpu_count : target->thread_count, events = 0;
    for (size_t at = 0; at < tree->request.group_count; at++)
        events += tree->request.schedule->groups[tree->request.groups[at]].count;
    if (places * events <= CELLS_MOST)
        return;
    const char *why = arena_printf(&tree->session.arena,
                                   "its %zu %s would take %zu counters; the first two levels are counted of so many",
                                   places, target->kind == TARGET_CPUS ? "CPUs" : "threads", places * events);
    topdown_step_limit(tree->step, LEVEL_FEW, why, &tree->request);
}

/* ---- one run ----------------------------------------------------------------------------------------------- */

bool tree_open(struct collection *collection)
{
    struct error err = {0};
    struct tree_counting *tree = collection->tree;
    if (!tree)
        return false;
    tree->request.target = &collection->target;
    tree->request.inherit = collection->target.kind != TARGET_CPUS;
    tree_limit(tree, &collection->target);
    const struct turn_request request = {
        .groups = &tree->request, .others = collection->counters, .seed = collection->recordings};
    if (turn_counters_open(&tree->turns, &request, collection->context->kernel, collection->context->root, &err))
        return true;
    tree->turns = NULL;
    tree_gap(collection, err.message);
    tree_free(collection);
    return false;
}

static uint64_t now_ns(void)
{
    return clock_ns(COLLECTION_CLOCK);
}

void tree_start(struct collection *collection)
{
    if (collection->tree && collection->tree->turns)
        turn_counters_start(collection->tree->turns, now_ns());
}

void tree_tick(struct collection *collection)
{
    if (collection->tree && collection->tree->turns)
        turn_counters_tick(collection->tree->turns, now_ns());
}

int tree_wait_ms(const struct collection *collection, int most_ms)
{
    if (!collection->tree || !collection->tree->turns)
        return most_ms;
    uint64_t left_ms = turn_counters_left_ns(collection->tree->turns, now_ns()) / 1000000 + 1;
    return left_ms < (uint64_t)most_ms ? (int)left_ms : most_ms;
}

static void windows_join(struct pass_group *all, const struct pass_group *more, struct arena *arena)
{
    struct group_window *windows = arena_array(arena, struct group_window, all->window_count + more->window_count + 1);
    for (size_t at = 0; at < all->window_count; at++)
        windows[at] = all->windows[at];
    for (size_t at = 0; at < more->window_count; at++)
        windows[all->window_count + at] = more->windows[at];
    all->windows = windows;
    all->window_count += more->window_count;
    all->user_only |= more->user_only;
}

void tree_finish(struct collection *collection)
{
    struct tree_counting *tree = collection->tree;
    struct pass_record record = {0};
    if (!tree || !tree->turns)
        return;
    struct arena *arena = &tree->session.arena;
    turn_counters_finish(tree->turns, now_ns(), collection->context->root, arena, &record);
    turn_counters_free(tree->turns);
    tree->turns = NULL;
    if (!tree->all.group_count) {
        tree->all = record;
        return;
    }
    for (size_t at = 0; at < record.group_count; at++)
        windows_join(&tree->all.groups[at], &record.groups[at], arena);
    tree->all.elapsed_ns += record.elapsed_ns;
}

void tree_discard(struct collection *collection)
{
    if (!collection->tree)
        return;
    turn_counters_free(collection->tree->turns);
    collection->tree->turns = NULL;
}

/* ---- the part of the case ---------------------------------------------------------------------------------- */

/* A group that had no turn: the run was over before. */
static void unseen_explain(struct tree_counting *tree)
{
    struct topdown_session *session = &tree->session;
    const char *why = arena_printf(
        &session->arena, "it ran for %.2g s, in which %zu groups of events could not all have a turn on the counters",
        (double)tree->all.elapsed_ns / 1e9, session->groups.count);
    for (size_t at = 0; at < tree->machine.table.metrics.count; at++) {
        struct metric_place *place = &session->places[at];
        bool seen = true;
        for (size_t group = 0; group < place->group_count; group++)
            seen &= session->groups.items[place->groups[group]].window_count > 0;
        if (!seen)
            *place = (struct metric_place){.why_not = why};
    }
}

bool write_tree(struct collection *collection, struct error *err)
{
    struct tree_counting *tree = collection->tree;
    if (!tree || !tree->all.group_count)
        return true;
    struct topdown_session *session = &tree->session;
    topdown_step_take(tree->step, &tree->all);
    unseen_explain(tree);
    vec_for_each(&tree->machine.notes, text) *vec_push(&session->notes) = *text;
    struct topdown_counts counts = {.table = &tree->machine.table,
                                    .general = topdown_machine_is_general(&tree->machine),
                                    .origin = MEASURED_BY_US,
                                    .by_sample_time = true,
                                    .groups = session->groups.items,
                                    .group_count = session->groups.count,
                                    .places = session->places,
                                    .user_only = session->user_only,
                                    .notes = session->notes.items,
                                    .note_count = session->notes.count};
    memcpy(counts.constants, tree->machine.constants, sizeof(counts.constants));
    scoped_text struct text out = {0};
    topdown_counts_write(&counts, &out);
    case_manifest_part(&collection->manifest, "topdown.json", MEASURED_BY_US);
    return case_part_write(collection->folder, "topdown.json", &out, err);
}
