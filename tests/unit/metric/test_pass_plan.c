/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns of several groups, and the ladder of forms. */
#include "test.h"

#include "base/vec.h"
#include "metric/schedule/pass_plan.h"
#include "metric/schedule/topdown_form.h"

struct plan_case {
    const char *what;
    struct pass_question question;
    enum pass_way way;
    size_t runs, possible;
    double needed;
};

static const struct plan_case plan_cases[] = {
    {"one group", {.group_count = 1, .seconds = 0.02, .repeatable = true}, PASS_ONCE, 1, 0, 0},
    {"no group", {.group_count = 0, .seconds = 1}, PASS_ONCE, 1, 0, 0},
    {"a short command is repeated", {.group_count = 5, .seconds = 0.02, .repeatable = true}, PASS_RUNS, 5, 0, 5},
    {"a long one within the budget", {.group_count = 5, .seconds = 10, .repeatable = true, .budget_seconds = 60}, PASS_RUNS, 5, 0, 5},
    {"beyond the budget it shares", {.group_count = 5, .seconds = 20, .repeatable = true, .budget_seconds = 60}, PASS_MULTIPLEX, 1, 0, 5},
    {"and is too short for that", {.group_count = 20, .seconds = 8, .repeatable = true, .budget_seconds = 60}, PASS_REFUSED, 1, 8, 20},
    {"attached without end", {.group_count = 5}, PASS_SLICES, 1, 0, 5},
    {"attached for a while", {.group_count = 5, .seconds = 25}, PASS_SLICES, 1, 0, 5},
    {"attached, each interval", {.group_count = 5, .interval_ns = 1000000000}, PASS_MULTIPLEX, 1, 0, 5},
    {"for a while, each interval", {.group_count = 5, .seconds = 25, .interval_ns = 10000000}, PASS_MULTIPLEX, 1, 0, 5},
    {"too shortly for intervals", {.group_count = 5, .seconds = 4.9, .interval_ns = 10000000}, PASS_REFUSED, 1, 4, 5},
    {"a command's intervals", {.group_count = 5, .seconds = 1, .repeatable = true, .interval_ns = 10000000}, PASS_RUNS, 5, 0, 5},
    {"attached for less", {.group_count = 5, .seconds = 24.9}, PASS_MULTIPLEX, 1, 0, 5},
    {"attached too shortly", {.group_count = 5, .seconds = 4.9}, PASS_REFUSED, 1, 4, 5},
    {"for no time at all", {.group_count = 2, .seconds = 0.02}, PASS_REFUSED, 1, 1, 2},
    {"a slower rotation", {.group_count = 2, .seconds = 4, .rotation_ns = 10000000}, PASS_REFUSED, 1, 1, 5},
};

Test(pass_plan, follows_its_rules)
{
    for (size_t at = 0; at < array_count(plan_cases); at++) {
        const struct plan_case *expected = &plan_cases[at];
        struct pass_plan plan;
        pass_plan_make(&plan, &expected->question);
        cr_expect_eq(plan.way, expected->way, "%s: %d", expected->what, plan.way);
        cr_expect_eq(plan.runs, expected->runs, "%s", expected->what);
        cr_expect_eq(plan.groups_possible, expected->possible, "%s: %zu", expected->what, plan.groups_possible);
        cr_expect_float_eq(plan.needed_seconds, expected->needed, 1e-9, "%s", expected->what);
        cr_expect(*plan.why);
        if (plan.way != PASS_REFUSED)
            cr_expect_geq(plan.read_ns, 100000000u, "%s", expected->what);
    }
}

Test(pass_plan, a_refusal_says_how_long_it_takes)
{
    struct pass_plan plan;
    pass_plan_make(&plan, &(struct pass_question){.group_count = 7, .seconds = 0.5});
    cr_expect_str_eq(plan.why, "7 groups of events need a run of 7.0 s; this one lasts 0.5 s, enough for 1");
}

Test(pass_plan, the_control_is_counted_where_there_is_room)
{
    struct pass_question question = {.group_count = 4, .seconds = 10, .repeatable = true, .control_is_free = true,
                                     .has_topdown_fields = true};
    struct pass_plan plan;
    pass_plan_make(&plan, &question);
    cr_expect_eq(plan.control, CONTROL_IN_GROUP);
    question.control_is_free = false;
    pass_plan_make(&plan, &question);
    cr_expect_eq(plan.control, CONTROL_ROTATES);
    question.seconds = 1;
    pass_plan_make(&plan, &question);
    cr_expect_eq(plan.control, CONTROL_COUNTS_ONLY);
    question = (struct pass_question){.group_count = 90, .seconds = 100, .has_topdown_fields = true};
    pass_plan_make(&plan, &question);
    cr_expect_eq(plan.way, PASS_MULTIPLEX);
    cr_expect_eq(plan.read_ns, 2000000000u, "PERF_METRICS wants reads");
    question.has_topdown_fields = false;
    pass_plan_make(&plan, &question);
    cr_expect_eq(plan.read_ns, 3600000000u);
}

Test(pass_plan, slices_come_in_another_order_each_round)
{
    size_t firsts[5] = {0};
    for (size_t round = 0; round < 1000; round++) {
        uint32_t order[5], again[5], met = 0;
        pass_slice_order(7, round, 5, order);
        pass_slice_order(7, round, 5, again);
        cr_assert_arr_eq(order, again, sizeof(order));
        for (size_t at = 0; at < 5; at++)
            met |= 1u << order[at];
        cr_assert_eq(met, 0x1f, "each group once");
        firsts[order[0]]++;
    }
    for (size_t at = 0; at < 5; at++)
        cr_expect(firsts[at] > 140 && firsts[at] < 260, "group %zu is first %zu times", at, firsts[at]);
}

/* ---- the ladder -------------------------------------------------------------------------------------------- */

struct refused {
    const char *events[4];
};

static bool opens(void *context, const char *event)
{
    const struct refused *refused = context;
    for (size_t at = 0; at < array_count(refused->events) && refused->events[at]; at++)
        if (strcmp(refused->events[at], event) == 0)
            return false;
    return true;
}

struct ladder_case {
    const char *model;
    unsigned fields, general;
    struct refused refused;
    const char *form;
    unsigned levels;
};

static const struct ladder_case ladder_cases[] = {
    {"SPR", 8, 8, {{0}}, "PERF_METRICS, two levels", 2},
    {"ICX", 4, 8, {{0}}, "PERF_METRICS, one level", 1},
    {"SPR", 0, 8, {{0}}, "general counters, two levels", 2},
    {"SPR", 0, 8, {{"topdown.memory_bound_slots"}}, "general counters, one level", 1},
    {"SPR", 0, 2, {{0}}, "architectural events", 0},
    {"SPR", 0, 8, {{"topdown.slots_p"}}, "architectural events", 0},
    {"ICX", 0, 8, {{0}}, "architectural events", 0},
    {"SKX", 0, 4, {{0}}, "slots by cycles, one level", 1},
    {"CLX", 0, 3, {{0}}, "architectural events", 0},
    {NULL, 0, 4, {{0}}, "architectural events", 0},
    {NULL, 8, 8, {{0}}, "PERF_METRICS, two levels", 2},
    {"SPR", 0, 8, {{"topdown.slots_p", "instructions"}}, "nothing", 0},
    {NULL, 0, 0, {{"cpu-cycles"}}, "nothing", 0},
};

Test(topdown_form, the_best_rung_that_holds_is_taken)
{
    for (size_t at = 0; at < array_count(ladder_cases); at++) {
        const struct ladder_case *expected = &ladder_cases[at];
        struct topdown_choice choice;
        topdown_form_choose(&choice, &(struct topdown_means){expected->model, expected->fields, expected->general, opens,
                                                             (void *)&expected->refused});
        cr_assert_not_null(choice.form);
        cr_expect_str_eq(choice.form->name, expected->form, "case %zu: %s", at, choice.form->name);
        cr_expect_eq(choice.form->levels, expected->levels);
        for (size_t better = 0; better < choice.passed_over_count; better++)
            cr_expect(*choice.passed_over[better].why, "case %zu: no reason for not '%s'", at, choice.passed_over[better].form->name);
    }
}
