/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of what was counted is of which phase, and what that makes of the phase. */
#include "test.h"

#include "finding/verdict/phase_verdicts.h"
#include "metric/table/table_builtin.h"

#include <string.h>

enum { WINDOWS = 40, TERMS = 2, TURN = 100 };

struct scene {
    struct arena arena;
    struct metric_table table;
    uint32_t terms[2][TERMS];
    struct group_window windows[2][WINDOWS];
    struct metric_group groups[2];
    uint32_t places_of[2];
    struct metric_place *places;
    struct topdown_counts counts;
    struct phase_rows phases;
    struct phase_trees trees;
};

/* Of so many cycles, in this window, the divider worked in; the first phase is its, and comes again. */
static double busy_cycles(size_t window)
{
    return window / 10 % 2 == 0 ? 80 : 20;
}

static void group_put(struct scene *scene, size_t group, const char *event, const char *metric)
{
    struct error err = {0};
    cr_assert(table_term_resolve(&scene->table, view_of("cpu_clk_unhalted.thread"), &scene->terms[group][0], &err), "%s", err.message);
    cr_assert(table_term_resolve(&scene->table, view_of(event), &scene->terms[group][1], &err), "%s", err.message);
    for (size_t at = 0; at < WINDOWS; at++) {
        double *counts = arena_array(&scene->arena, double, TERMS);
        counts[0] = 100;
        counts[1] = busy_cycles(at);
        scene->windows[group][at] = (struct group_window){.start_ns = at * TURN + 10, .end_ns = at * TURN + 40, .enabled_ns = 90, .running_ns = 30, .counts = counts};
    }
    scene->groups[group] = (struct metric_group){.terms = scene->terms[group], .term_count = TERMS, .windows = scene->windows[group], .window_count = WINDOWS};
    scene->places_of[group] = (uint32_t)group;
    scene->places[table_metric_find(&scene->table, view_of(metric))] = (struct metric_place){.groups = &scene->places_of[group], .group_count = 1};
}

/* Two phases by turns of ten windows, twice each. */
static void make_up(struct scene *scene)
{
    *scene = (struct scene){0};
    arena_init(&scene->arena);
    cr_assert(metric_table_builtin(&scene->table, "SPR", TABLE_WHOLE));
    scene->places = arena_array(&scene->arena, struct metric_place, scene->table.metrics.count + 1);
    group_put(scene, 0, "arith.div_active", "Divider");
    group_put(scene, 1, "exe_activity.bound_on_stores", "Store_Bound");
    scene->counts = (struct topdown_counts){.table = &scene->table, .origin = "made up", .groups = scene->groups, .group_count = 2,
                                            .places = scene->places, .by_sample_time = true};
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        scene->counts.constants[at] = not_measured("no");
    scene->phases = (struct phase_rows){.phase_count = 2, .judged_count = 2};
    for (uint32_t at = 0; at < 4; at++)
        scene->phases.items[scene->phases.count++] = (struct phase_row){.start_ns = at * 10 * TURN, .end_ns = (at + 1) * 10 * TURN - 1, .phase = at % 2};
    for (uint32_t at = 0; at < 2; at++)
        scene->phases.judged[at] = (struct phase_whole){.phase = at, .stretches = 2};
}

static void scene_done(struct scene *scene)
{
    metric_table_done(&scene->table);
    arena_done(&scene->arena);
}

static const struct topdown_node *node_of(const struct scene *scene, size_t phase, const char *name)
{
    const struct topdown_tree *tree = &scene->trees.items[phase].counted.tree;
    for (size_t at = 0; at < tree->count; at++)
        if (strcmp(tree->nodes[at].name, name) == 0)
            return &tree->nodes[at];
    cr_assert(false, "no %s", name);
    return NULL;
}

Test(phase_verdicts, each_phase_has_what_was_counted_in_all_its_stretches)
{
    struct scene scene;
    make_up(&scene);
    phase_trees_find(&scene.trees, &scene.counts, &scene.phases, &scene.arena);
    cr_assert_eq(scene.trees.count, 2);
    const struct topdown_node *first = node_of(&scene, 0, "Divider"), *second = node_of(&scene, 1, "Divider");
    cr_assert(first->value.known && second->value.known);
    cr_expect_float_eq(first->value.value, 0.8, 1e-9);
    cr_expect_float_eq(second->value.value, 0.2, 1e-9);
    cr_expect(scene.trees.items[0].is_known && scene.trees.items[0].why_not, "slots were not counted: no first level");
    scene_done(&scene);
}

Test(phase_verdicts, a_window_across_a_border_is_nobodys)
{
    struct scene scene;
    make_up(&scene);
    ((double *)scene.windows[0][9].counts)[1] = 0;
    scene.windows[0][9].end_ns = 10 * TURN + 5;
    phase_trees_find(&scene.trees, &scene.counts, &scene.phases, &scene.arena);
    cr_expect_float_eq(node_of(&scene, 0, "Divider")->value.value, 0.8, 1e-9);
    cr_expect_float_eq(node_of(&scene, 1, "Divider")->value.value, 0.2, 1e-9);
    scene_done(&scene);
}

Test(phase_verdicts, where_a_group_had_no_turn_its_nodes_were_not_counted)
{
    struct scene scene;
    make_up(&scene);
    scene.groups[1].window_count = 10; /* the first stretch's */
    phase_trees_find(&scene.trees, &scene.counts, &scene.phases, &scene.arena);
    cr_expect(node_of(&scene, 0, "Store_Bound")->value.known);
    const struct topdown_node *uncounted = node_of(&scene, 1, "Store_Bound");
    cr_assert_not(uncounted->value.known);
    cr_expect(strstr(uncounted->value.why_not, "not counted in this phase"), "%s", uncounted->value.why_not);
    cr_expect(node_of(&scene, 1, "Divider")->value.known, "the other group's are");
    scene_done(&scene);
}

Test(phase_verdicts, counts_of_another_clock_are_of_no_phase)
{
    struct scene scene;
    struct phase_verdicts verdicts;
    make_up(&scene);
    scene.counts.by_sample_time = false;
    phase_trees_find(&scene.trees, &scene.counts, &scene.phases, &scene.arena);
    phase_verdicts_of(&verdicts, &scene.trees, &scene.arena);
    cr_assert_eq(verdicts.count, 2);
    cr_expect_not(scene.trees.items[0].is_known);
    cr_expect(!verdicts.items[0].node && strstr(verdicts.items[0].why_not, "the samples' clock"), "%s", verdicts.items[0].why_not);
    scene_done(&scene);
}

Test(phase_verdicts, the_leaf_is_the_verdict_and_names_its_cause)
{
    struct topdown_node nodes[] = {
        {.name = "Backend_Bound", .path = "Backend_Bound", .unit = "%", .domain = "Slots", .level = 1, .parent = SIZE_MAX, .value = measured_as(0.8),
         .interval = interval_of(0.79, 0.8, 0.81), .decision = TOPDOWN_FLAGGED},
        {.name = "Core_Bound", .path = "Backend_Bound.Core_Bound", .unit = "%", .domain = "Slots", .level = 2, .parent = 0, .value = measured_as(0.7),
         .interval = interval_of(0.69, 0.7, 0.71), .decision = TOPDOWN_FLAGGED},
        {.name = "Divider", .path = "Backend_Bound.Core_Bound.Divider", .unit = "%", .domain = "Clocks", .level = 3, .parent = 1, .value = measured_as(0.6),
         .interval = interval_of(0.58, 0.6, 0.62), .decision = TOPDOWN_FLAGGED},
        {.name = "Retiring", .path = "Retiring", .unit = "%", .domain = "Slots", .level = 1, .parent = SIZE_MAX, .value = measured_as(0.2),
         .interval = interval_of(0.19, 0.2, 0.21), .decision = TOPDOWN_NOT_FLAGGED},
    };
    const struct phase_whole phase = {.stretches = 1};
    struct phase_trees trees = {.count = 1};
    trees.items[0] = (struct phase_tree){.phase = &phase, .is_known = true,
                                         .counted = {.has_first_level = true, .tree = {.nodes = nodes, .count = array_count(nodes), .leaf = 2}}};
    struct phase_verdicts verdicts;
    struct arena arena;
    arena_init(&arena);
    phase_verdicts_of(&verdicts, &trees, &arena);
    cr_expect_str_eq(verdicts.items[0].cause, "divider");
    cr_expect_str_eq(verdicts.items[0].sentence, "Divider is 60 % (58 to 62 %) of its cycles: divisions and square roots");
    trees.items[0].counted.tree.leaf = SIZE_MAX;
    phase_verdicts_of(&verdicts, &trees, &arena);
    cr_expect_null(verdicts.items[0].cause, "a class holds several");
    cr_expect_str_eq(verdicts.items[0].sentence, "Backend_Bound is 80 % (79 to 81 %) of its issue slots; no flag leads further");
    arena_done(&arena);
}
