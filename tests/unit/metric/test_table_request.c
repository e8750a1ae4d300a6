/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From plumb's own tables to groups: what a drill through the tree takes. */
#include "test.h"

#include "base/vec.h"
#include "metric/schedule/table_request.h"
#include "metric/table/table_builtin.h"

struct step {
    const char *key;
    unsigned threads, level; /* level 0: children of parent */
    const char *parent;
    size_t groups;
};

/* The SPR memory chain takes five. Ice Lake's second level takes counters; Skylake's first fills four of them. */
static const struct step steps[] = {
    {"SPR", 1, 2, NULL, 1},         {"SPR", 1, 0, "memory_bound", 1},  {"SPR", 1, 0, "l3_miss_bound", 1},
    {"SPR", 1, 0, "mem_latency", 2}, {"SPR", 1, 0, "fetch_latency", 2}, {"EMR", 1, 2, NULL, 1},
    {"GNR", 1, 2, NULL, 1},         {"ICX", 1, 1, NULL, 1},            {"ICX", 1, 2, NULL, 3},
};

static size_t step_metrics(const struct metric_table *table, const struct step *step, uint32_t *ret_metrics)
{
    uint32_t parent = step->parent ? table_metric_find(table, view_of(step->parent)) : TABLE_NONE;
    size_t count = 0;
    cr_assert(!step->parent || parent != TABLE_NONE, "no %s in %s", step->parent, step->key);
    for (uint32_t at = 0; at < table->metrics.count; at++) {
        const struct table_metric *metric = &table->metrics.items[at];
        if (step->parent ? metric->parent == parent : metric->level && metric->level <= step->level)
            ret_metrics[count++] = at;
    }
    return count;
}

Test(table_request, a_drill_takes_as_few_groups_as_published)
{
    size_t chain = 0;
    for (size_t at = 0; at < array_count(steps); at++) {
        struct metric_table table;
        struct schedule_pmu pmu;
        struct schedule_request request;
        struct schedule schedule;
        struct arena arena;
        struct error err = {0};
        uint32_t metrics[256];
        arena_init(&arena);
        cr_assert(metric_table_builtin(&table, steps[at].key, TABLE_WHOLE));
        cr_assert(schedule_pmu_of_model(steps[at].key, steps[at].threads, &pmu));
        size_t count = step_metrics(&table, &steps[at], metrics);
        cr_assert_gt(count, 1);
        schedule_request_of_table(&request, &table, metrics, count, &pmu, NULL, &arena);
        cr_assert(schedule_build(&schedule, &request, &arena, &err), "%s", err.message);
        cr_expect_leq(schedule.group_count, steps[at].groups, "%s %u %s: %zu groups", steps[at].key, steps[at].level,
                      steps[at].parent ? steps[at].parent : "", schedule.group_count);
        for (size_t metric = 0; metric < count; metric++)
            cr_expect_eq(schedule.places[metric].fit, SCHEDULE_TOGETHER, "%s: %s", request.metrics[metric].name, schedule.places[metric].why);
        chain += at < 4 ? schedule.group_count : 0;
        metric_table_done(&table);
        arena_done(&arena);
    }
    cr_expect_leq(chain, 5);
}

/* All nodes down to a level, those that fit no group and are counted in parts, too. */
struct whole {
    const char *key;
    unsigned threads;
    size_t groups[3]; /* to levels 2, 3, 6 */
};

/* Of 44 events for four counters no fewer than 11 groups are possible; the nodes that fit take nine (schedule/trees_take…). */
static const struct whole wholes[] = {
    {"SKX", 2, {4, 14, 35}}, {"SKX", 1, {2, 7, 17}}, {"CLX", 2, {4, 14, 35}}, {"CLX", 1, {2, 7, 17}},
    {"ICX", 2, {3, 7, 22}},  {"SPR", 2, {1, 7, 20}}, {"GNR", 2, {1, 8, 21}},
};

static size_t whole_groups(const struct whole *whole, unsigned level)
{
    struct metric_table table;
    struct schedule_pmu pmu;
    struct schedule_request request;
    struct schedule schedule;
    struct arena arena;
    struct error err = {0};
    struct table_inputs inputs;
    uint32_t metrics[256];
    arena_init(&arena);
    table_inputs_clear(&inputs);
    inputs.constants[TABLE_SMT_ON] = measured_as(whole->threads > 1);
    cr_assert(metric_table_builtin(&table, whole->key, TABLE_WHOLE));
    cr_assert(schedule_pmu_of_model(whole->key, whole->threads, &pmu));
    size_t count = step_metrics(&table, &(struct step){.key = whole->key, .level = level}, metrics);
    schedule_request_of_table(&request, &table, metrics, count, &pmu, inputs.constants, &arena);
    cr_assert(schedule_build(&schedule, &request, &arena, &err), "%s", err.message);
    size_t groups = schedule.group_count;
    metric_table_done(&table);
    arena_done(&arena);
    return groups;
}

Test(table_request, whole_trees_take_few_groups)
{
    static const unsigned levels[] = {2, 3, 6};
    for (size_t at = 0; at < array_count(wholes); at++)
        for (size_t level = 0; level < array_count(levels); level++) {
            size_t groups = whole_groups(&wholes[at], levels[level]);
            cr_expect_leq(groups, wholes[at].groups[level], "%s, %u threads, level %u: %zu groups", wholes[at].key, wholes[at].threads,
                          levels[level], groups);
        }
}

/* With SMT, Skylake's slots are the core's cycles, which the any-thread event counts; without it nobody asks for that. */
Test(table_request, the_branch_not_taken_is_not_counted)
{
    struct metric_table table;
    struct table_inputs inputs;
    static const struct measured answers[] = {{.known = true, .value = 1}, {.known = true, .value = 0}, {.why_not = "not said"}};
    bool any_thread[array_count(answers)] = {false};
    cr_assert(metric_table_builtin(&table, "SKX", TABLE_WHOLE));
    for (size_t answer = 0; answer < array_count(answers); answer++) {
        bool *needed = calloc(table.terms.count + 1, sizeof(*needed));
        table_inputs_clear(&inputs);
        inputs.constants[TABLE_SMT_ON] = answers[answer];
        table_terms_needed(&table, table_metric_find(&table, VIEW("retiring")), inputs.constants, needed);
        for (size_t at = 0; at < table.terms.count; at++)
            any_thread[answer] |= needed[at] && table.terms.items[at].code.any_thread;
        free(needed);
    }
    cr_expect(any_thread[0]);
    cr_expect_not(any_thread[1]);
    cr_expect(any_thread[2], "unknown: both branches");
    metric_table_done(&table);
}

Test(table_request, terms_say_what_they_need)
{
    struct metric_table table;
    struct schedule_pmu pmu;
    struct schedule_request request;
    struct arena arena;
    arena_init(&arena);
    cr_assert(metric_table_builtin(&table, "SPR", TABLE_WHOLE));
    cr_assert(schedule_pmu_of_model("SPR", 2, &pmu));
    schedule_request_of_table(&request, &table, NULL, 0, &pmu, NULL, &arena);
    cr_assert_eq(request.event_count, table.terms.count);
    size_t fields = 0, slots = 0, low = 0, offcore = 0, fixed = 0;
    for (size_t at = 0; at < request.event_count; at++) {
        fields += request.events[at].kind == SCHEDULE_TOPDOWN;
        slots += request.events[at].kind == SCHEDULE_SLOTS;
        low += request.events[at].counters == 0xf;
        offcore += request.events[at].needs == SCHEDULE_OFFCORE;
        fixed += request.events[at].fixed != 0;
    }
    cr_expect_eq(fields, 8);
    cr_expect_geq(slots, 1);
    cr_expect_gt(low, 20);
    cr_expect_gt(offcore, 2);
    cr_expect_geq(fixed, 3);
    metric_table_done(&table);
    arena_done(&arena);
}
