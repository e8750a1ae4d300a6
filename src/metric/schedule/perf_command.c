/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/perf_command.h"

#include "base/vec.h"
#include "metric/schedule/table_request.h"

#include <string.h>

struct planner {
    const struct perf_question *question;
    const struct metric_table *table;
    struct arena *arena;
    bool *depends; /* [metric of the question][term] */
    struct schedule_request request;
    struct schedule schedule;
    vec(struct perf_run) runs;
};

/* What cycles and instructions are called: in every group, they say how runs compare. */
static const char *const control_names[] = {"cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles",
                                            "inst_retired.any", "ex_ret_instr", "inst_retired"};

static const char ANY_CPU[] = "0";

/* ---- what a value really depends on ---- */

/*
 * A term or constant is needed when the value isn't known without it. So the branch of a condition that isn't taken
 * here costs no counter.
 */
static struct measured *terms_made(const struct planner *planner)
{
    struct measured *terms = arena_array(planner->arena, struct measured, planner->table->terms.count + 1);
    for (size_t at = 0; at < planner->table->terms.count; at++)
        terms[at] = measured_as(1e6 + 1009.0 * (double)at); /* all different: no difference of two is 0 */
    return terms;
}

static void inputs_make(struct measured *terms, struct table_inputs *ret_inputs)
{
    table_inputs_clear(ret_inputs);
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        ret_inputs->constants[at] = measured_as(3 + (double)at);
    ret_inputs->terms = terms;
    ret_inputs->cpu_id = ANY_CPU;
}

/* A value that isn't known with everything: all that its formula names. */
static void all_named(struct planner *planner, const struct table_values *whole)
{
    for (size_t metric = 0; metric < planner->question->metric_count; metric++)
        if (!whole->metrics[planner->question->metrics[metric]].known)
            table_terms_needed(planner->table, planner->question->metrics[metric], NULL,
                               &planner->depends[metric * planner->table->terms.count]);
}

static void without_each(struct planner *planner, struct perf_plan *plan, struct measured smt)
{
    struct measured *terms = terms_made(planner);
    struct table_inputs inputs;
    struct table_values whole, without;
    size_t count = planner->table->terms.count;
    inputs_make(terms, &inputs);
    inputs.constants[TABLE_SMT_ON] = smt;
    table_evaluate(planner->table, &inputs, &whole, planner->arena);
    all_named(planner, &whole);
    inputs.cpu_id = NULL;
    table_evaluate(planner->table, &inputs, &without, planner->arena);
    for (size_t metric = 0; metric < planner->question->metric_count; metric++)
        plan->wants_revision |= whole.metrics[planner->question->metrics[metric]].known &&
                                !without.metrics[planner->question->metrics[metric]].known;
    inputs.cpu_id = ANY_CPU;
    for (size_t at = 0; at < count + TABLE_CONSTANT_COUNT; at++) {
        struct measured *place = at < count ? &terms[at] : &inputs.constants[at - count], before = *place;
        struct arena scratch = {0};
        struct table_values values;
        *place = not_measured("left out");
        table_evaluate(planner->table, &inputs, &values, &scratch);
        for (size_t metric = 0; metric < planner->question->metric_count; metric++) {
            uint32_t asked = planner->question->metrics[metric];
            bool lost = whole.metrics[asked].known && !values.metrics[asked].known;
            if (at < count)
                planner->depends[metric * count + at] |= lost;
            else
                plan->wants[at - count] |= lost;
        }
        *place = before;
        arena_done(&scratch);
    }
}

static void dependence_find(struct planner *planner, struct perf_plan *plan)
{
    planner->depends =
        arena_array(planner->arena, bool, planner->question->metric_count * planner->table->terms.count + 1);
    if (planner->question->smt.known) {
        without_each(planner, plan, planner->question->smt);
    } else {
        without_each(planner, plan, measured_as(1));
        without_each(planner, plan, measured_as(0));
    }
    if (planner->question->smt.known)
        plan->wants[TABLE_SMT_ON] = false;
}

/* ---- the request ---- */

static void request_make(struct planner *planner)
{
    const struct perf_question *question = planner->question;
    size_t terms = planner->table->terms.count;
    schedule_request_of_table(&planner->request, planner->table, question->metrics, question->metric_count,
                              question->pmu, NULL, planner->arena);
    struct schedule_metric *asked =
        arena_copy(planner->arena, planner->request.metrics, question->metric_count * sizeof(*asked));
    for (size_t metric = 0; metric < question->metric_count; metric++) {
        uint32_t *events = arena_array(planner->arena, uint32_t, terms + 1);
        size_t count = 0;
        for (uint32_t term = 0; term < terms; term++)
            if (planner->depends[metric * terms + term])
                events[count++] = term;
        asked[metric].events = (struct schedule_set){events, count};
    }
    planner->request.metrics = asked;
    uint32_t *controls = arena_array(planner->arena, uint32_t, array_count(control_names));
    size_t control_count = 0;
    for (uint32_t term = 0; term < terms; term++)
        for (size_t name = 0; name < array_count(control_names); name++)
            if (strcmp(planner->table->terms.items[term].name, control_names[name]) == 0)
                controls[control_count++] = term;
    planner->request.companions = (struct schedule_set){controls, control_count};
}

/* ---- runs ---- */

static const char *event_spelt(const struct planner *planner, uint32_t term)
{
    const char *kernel_name = table_term_topdown_name(planner->table, &planner->table->terms.items[term]);
    struct text text = {0};
    if (kernel_name)
        return kernel_name;
    table_term_write(&planner->table->terms.items[term], planner->question->core_pmu, &text);
    const char *spelt = arena_string(planner->arena, text_string(&text));
    text_done(&text);
    return spelt;
}

static bool is_machine_wide(const struct table_term *term)
{
    return term->pmu && term->pmu[0] && strcmp(term->pmu, "msr") != 0;
}

/* An event may have two names (cycles on a fixed counter, and on a general one): it is counted once. */
static bool run_has(const struct perf_run *run, const char *spelt)
{
    for (size_t at = 0; at < run->event_count; at++)
        if (strcmp(run->events[at], spelt) == 0)
            return true;
    return false;
}

static void event_put(struct planner *planner, struct perf_run *run, uint32_t *terms, uint32_t term)
{
    const struct schedule_event *event = &planner->request.events[term];
    const char *spelt = event_spelt(planner, term);
    if (run_has(run, spelt))
        return;
    terms[run->event_count] = term;
    run->events[run->event_count++] = spelt;
    run->whole_cores |= event->whole_core;
    run->has_topdown_fields |= event->kind == SCHEDULE_TOPDOWN;
}

static bool is_control(const struct planner *planner, uint32_t term)
{
    for (size_t at = 0; at < planner->request.companions.count; at++)
        if (planner->request.companions.events[at] == term)
            return true;
    return false;
}

/*
 * PERF_METRICS costs no counter: what is asked of it is measured again wherever slots leads, and shows whether runs
 * agree.
 */
static void fields_complete(struct planner *planner, struct perf_run *run, uint32_t *terms)
{
    size_t count = planner->table->terms.count;
    for (uint32_t term = 0; term < count; term++) {
        bool needed = false;
        for (size_t metric = 0; metric < planner->question->metric_count; metric++)
            needed |= planner->depends[metric * count + term];
        if (needed && planner->request.events[term].kind == SCHEDULE_TOPDOWN)
            event_put(planner, run, terms, term);
    }
}

/* Slots and its fields lead; then controls: a reader knows by the first event that another run begins. */
static void group_run_make(struct planner *planner, const struct schedule_group *group)
{
    enum { FIELDS_MOST = 8 };
    uint32_t *terms = arena_array(planner->arena, uint32_t, group->count + FIELDS_MOST);
    struct perf_run run = {.terms = terms,
                           .is_group = true,
                           .events = arena_array(planner->arena, const char *, group->count + FIELDS_MOST)};
    bool slots_lead = planner->request.events[group->events[0]].kind == SCHEDULE_SLOTS;
    for (size_t at = 0; slots_lead && at < group->count; at++)
        if (planner->request.events[group->events[at]].kind != SCHEDULE_COUNTER)
            event_put(planner, &run, terms, group->events[at]);
    if (slots_lead)
        fields_complete(planner, &run, terms);
    for (int controls = 1; controls >= 0; controls--)
        for (size_t at = 0; at < group->count; at++)
            if (planner->request.events[group->events[at]].kind == SCHEDULE_COUNTER &&
                is_control(planner, group->events[at]) == controls)
                event_put(planner, &run, terms, group->events[at]);
    *vec_push(&planner->runs) = run;
}

static void outside_run_make(struct planner *planner, bool everywhere)
{
    size_t count = planner->table->terms.count;
    uint32_t *terms = arena_array(planner->arena, uint32_t, count + 1);
    struct perf_run run = {
        .terms = terms, .everywhere = everywhere, .events = arena_array(planner->arena, const char *, count + 1)};
    for (uint32_t term = 0; term < count; term++) {
        const struct table_term *item = &planner->table->terms.items[term];
        bool needed = false;
        for (size_t metric = 0; metric < planner->question->metric_count; metric++)
            needed |= planner->depends[metric * count + term];
        if (needed && planner->request.events[term].kind == SCHEDULE_OUTSIDE && item->kind == TERM_COUNT &&
            item->code.known && is_machine_wide(item) == everywhere)
            event_put(planner, &run, terms, term);
    }
    if (run.event_count)
        *vec_push(&planner->runs) = run;
}

/* All that the metric depends on, but for what no run has. */
static bool is_complete_in(const struct planner *planner, const struct perf_run *run, size_t metric)
{
    size_t count = planner->table->terms.count;
    bool any = false;
    for (uint32_t term = 0; term < count; term++) {
        if (!planner->depends[metric * count + term] || planner->table->terms.items[term].kind != TERM_COUNT)
            continue;
        any = true;
        if (!run_has(run, event_spelt(planner, term)))
            return false;
    }
    return any;
}

static void metrics_home(struct planner *planner)
{
    size_t asked = planner->question->metric_count;
    bool *homed = arena_array(planner->arena, bool, asked + 1);
    vec_for_each(&planner->runs, run)
    {
        uint32_t *metrics = arena_array(planner->arena, uint32_t, asked + 1);
        for (size_t at = 0; at < asked; at++)
            if (!homed[at] && is_complete_in(planner, run, at)) {
                metrics[run->metric_count++] = planner->question->metrics[at];
                homed[at] = true;
            }
        run->metrics = metrics;
    }
}

/* ---- what can't be had ---- */

static const char *why_missing(const struct planner *planner, size_t metric)
{
    const struct metric_table *table = planner->table;
    const struct table_metric *item = &table->metrics.items[planner->question->metrics[metric]];
    const struct schedule_place *place = &planner->schedule.places[metric];
    if (item->problem)
        return item->problem;
    for (size_t term = 0; term < table->terms.count; term++) {
        if (!planner->depends[metric * table->terms.count + term])
            continue;
        if (table->terms.items[term].kind == TERM_COUNT && !table->terms.items[term].code.known)
            return arena_printf(planner->arena, "these tables don't say how %s is encoded",
                                table->terms.items[term].name);
        if (table->terms.items[term].kind == TERM_LATENCY)
            return arena_printf(planner->arena, "%s is sampled, not counted: the published mean stands for it",
                                table->terms.items[term].name);
    }
    return place->fit == SCHEDULE_TOGETHER ? NULL : place->why;
}

static void missing_find(struct planner *planner, struct perf_plan *plan)
{
    plan->missing = arena_alloc(planner->arena, (planner->question->metric_count + 1) * sizeof(*plan->missing));
    for (size_t at = 0; at < planner->question->metric_count; at++) {
        const char *why = why_missing(planner, at);
        if (!why)
            continue;
        plan->missing[plan->missing_count].metric = planner->question->metrics[at];
        plan->missing[plan->missing_count++].why = why;
    }
}

bool perf_plan_make(struct perf_plan *plan, const struct perf_question *question, struct arena *arena,
                    struct error *err)
{
    struct planner planner = {.question = question, .table = question->table, .arena = arena};
    struct perf_plan result = {0};
    dependence_find(&planner, &result);
    request_make(&planner);
    if (!schedule_build(&planner.schedule, &planner.request, arena, err))
        return false;
    for (size_t at = 0; at < planner.schedule.group_count; at++)
        group_run_make(&planner, &planner.schedule.groups[at]);
    outside_run_make(&planner, false);
    outside_run_make(&planner, true);
    metrics_home(&planner);
    missing_find(&planner, &result);
    result.runs = arena_copy(arena, planner.runs.items, planner.runs.count * sizeof(*planner.runs.items));
    result.run_count = planner.runs.count;
    vec_done(&planner.runs);
    *plan = result;
    return true;
}
