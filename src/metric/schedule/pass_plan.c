/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/pass_plan.h"

#include <stdio.h>

enum {
    TURNS_NEEDED = 250,  /* of each group on the counters */
    ROUNDS_NEEDED = 5,   /* of slices: fewer give no interval worth printing */
    TURNS_PER_READ = 10,
};

static const uint64_t rotation_default_ns = 4000000;
static const uint64_t slice_ns = 1000000000;
static const uint64_t read_least_ns = 100000000;
static const uint64_t read_topdown_most_ns = 2000000000;

static double turn_seconds(const struct pass_question *question)
{
    return TURNS_NEEDED * (double)(question->rotation_ns ? question->rotation_ns : rotation_default_ns) / 1e9;
}

/* Between reads every group has had some turns, or a window would be empty for one. */
static uint64_t read_interval(const struct pass_question *question, size_t groups_in_turn)
{
    uint64_t rotation = question->rotation_ns ? question->rotation_ns : rotation_default_ns;
    uint64_t interval = groups_in_turn > 1 ? TURNS_PER_READ * rotation * groups_in_turn : read_least_ns;
    interval = interval < read_least_ns ? read_least_ns : interval;
    return question->has_topdown_fields && interval > read_topdown_most_ns ? read_topdown_most_ns : interval;
}

static void control_choose(struct pass_plan *plan, const struct pass_question *question)
{
    bool rotates = plan->way == PASS_SLICES || question->seconds >= 2 * turn_seconds(question);
    plan->control = question->control_is_free ? CONTROL_IN_GROUP : rotates ? CONTROL_ROTATES : CONTROL_COUNTS_ONLY;
    size_t groups = plan->control == CONTROL_ROTATES ? 2 : 1;
    plan->read_ns = read_interval(question, groups);
}

static void plan_runs(struct pass_plan *plan, const struct pass_question *question)
{
    plan->way = PASS_RUNS;
    plan->runs = question->group_count;
    control_choose(plan, question);
    snprintf(plan->why, sizeof(plan->why), "the program runs %zu times, once for each group of events", plan->runs);
}

static void plan_slices(struct pass_plan *plan, const struct pass_question *question)
{
    plan->way = PASS_SLICES;
    plan->slice_ns = slice_ns;
    control_choose(plan, question);
    snprintf(plan->why, sizeof(plan->why), "%zu groups of events take turns of %.0f s", question->group_count,
             (double)slice_ns / 1e9);
}

static void plan_multiplex(struct pass_plan *plan, const struct pass_question *question)
{
    plan->way = PASS_MULTIPLEX;
    plan->runs = 1;
    plan->read_ns = read_interval(question, question->group_count);
    if (question->interval_ns > plan->read_ns)
        plan->read_ns = question->interval_ns;
    snprintf(plan->why, sizeof(plan->why),
             "%zu groups of events share the counters: each is counted for 1/%zu of the time", question->group_count,
             question->group_count);
}

static void plan_refuse(struct pass_plan *plan, const struct pass_question *question)
{
    plan->way = PASS_REFUSED;
    plan->groups_possible = (size_t)(question->seconds / turn_seconds(question));
    plan->groups_possible += plan->groups_possible == 0; /* one group needs no turns */
    snprintf(plan->why, sizeof(plan->why),
             "%zu groups of events need a run of %.1f s; this one lasts %.2g s, enough for %zu", question->group_count,
             plan->needed_seconds, question->seconds, plan->groups_possible);
}

static bool runs_in_budget(const struct pass_question *question)
{
    double all = question->seconds * (double)question->group_count;
    return question->repeatable && (question->budget_seconds <= 0 || all <= question->budget_seconds);
}

void pass_plan_make(struct pass_plan *plan, const struct pass_question *question)
{
    double groups = (double)question->group_count;
    bool watches = !question->repeatable, endless = question->seconds <= 0;
    double slices_need = groups * ROUNDS_NEEDED * (double)slice_ns / 1e9;
    *plan = (struct pass_plan){.runs = 1, .needed_seconds = groups * turn_seconds(question)};
    if (question->group_count <= 1) {
        plan->needed_seconds = 0;
        plan->read_ns = read_interval(question, 1);
        snprintf(plan->why, sizeof(plan->why), "all events are counted at the same time");
    } else if (runs_in_budget(question)) {
        plan_runs(plan, question);
    } else if (watches && !question->interval_ns && (endless || question->seconds >= slices_need)) {
        plan_slices(plan, question);
    } else if ((watches && endless) || question->seconds >= plan->needed_seconds) {
        plan_multiplex(plan, question);
    } else {
        plan_refuse(plan, question);
    }
}

/* splitmix64. Source: Steele, Lea and Flood 2014. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void pass_slice_order(uint64_t seed, size_t round, size_t group_count, uint32_t *ret_order)
{
    uint64_t state = seed;
    state = draw(&state) + round;
    for (size_t at = 0; at < group_count; at++) {
        size_t other = (size_t)(draw(&state) % (at + 1));
        ret_order[at] = ret_order[other];
        ret_order[other] = (uint32_t)at;
    }
}
