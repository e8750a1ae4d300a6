/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_session.h"

#include "base/clock.h"
#include "capture/counters/counter_trial.h"
#include "capture/counters/event_trial.h"
#include "command/topdown/topdown_timeline.h"
#include "experiment/experiment.h"
#include "metric/schedule/table_request.h"
#include "metric/term_spec.h"
#include "source/live/workload.h"

#include <math.h>

enum { STEPS_MOST = 10, FREEDOM_ENOUGH = 5, COMPANIONS_MOST = 32, NANOSECONDS = 1000000000 };

/* A first-level share that differs by more from pass to pass: they are of programs bound by different things. */
static const double share_spread_contradicts = 0.1;

/* ---- the session ------------------------------------------------------------------------------------------- */

/* The first of the names that the table has as a term. */
static uint32_t term_of(struct metric_table *table, const char *const *names, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        uint32_t term;
        struct error unknown = {0}; /* another vendor's name */
        if (table_event_find(table, view_of(names[at])) != TABLE_NONE &&
            table_term_resolve(table, view_of(names[at]), &term, &unknown))
            return term;
        for (term = 0; term < table->terms.count; term++)
            if (strcmp(table->terms.items[term].name, names[at]) == 0)
                return term;
    }
    return TABLE_NONE;
}

static void controls_find(struct topdown_session *session)
{
    const struct metric_table *table = session->setup->table;
    for (unsigned level = 1; level <= 2; level++)
        for (uint32_t at = 0; at < table->metrics.count && session->control_count < TOPDOWN_CONTROLS_MOST; at++)
            if (table->metrics.items[at].level == level)
                session->controls[session->control_count++] = at;
}

void topdown_session_init(struct topdown_session *session, const struct topdown_setup *setup)
{
    static const char *const cycles[] = {"cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles", "cycles"};
    static const char *const instructions[] = {"inst_retired.any", "ex_ret_instr", "inst_retired", "instructions"};
    *session = (struct topdown_session){.setup = setup, .pmu = setup->pmu};
    arena_init(&session->arena);
    session->cycles = term_of(setup->table, cycles, array_count(cycles));
    session->instructions = term_of(setup->table, instructions, array_count(instructions));
    session->term_refused = arena_array(&session->arena, const char *, setup->table->terms.count + 1);
    session->places = arena_array(&session->arena, struct metric_place, setup->table->metrics.count + 1);
    controls_find(session);
}

void topdown_session_done(struct topdown_session *session)
{
    vec_done(&session->groups);
    vec_done(&session->faults);
    vec_done(&session->cpus);
    vec_done(&session->notes);
    arena_done(&session->arena);
}

/* Each step may find the same. */
static void note_once(struct topdown_session *session, const char *text)
{
    for (size_t at = 0; at < session->notes.count; at++)
        if (strcmp(session->notes.items[at], text) == 0)
            return;
    *vec_push(&session->notes) = text;
}

/* ---- one step: what is counted ----------------------------------------------------------------------------- */

struct topdown_step {
    struct topdown_session *session;
    uint32_t *metrics; /* that can be counted */
    size_t metric_count;
    struct event_spec *specs;
    struct schedule_request request;
    struct schedule schedule;
    struct counter_trial trial;
    struct pass_plan plan;
    struct pass_record *records; /* of each pass */
    size_t record_count;
    uint32_t first_level;        /* the schedule's group that has most of the first level's nodes; UINT32_MAX: none */
    size_t trial_runs;           /* groups that ran when they were tried */
    bool first_level_told;       /* in an earlier pass */
    size_t pass_begun;           /* passes so far */
    const char *left_out;        /* why groups that would have run were not opened; NULL: none was left out */
    uint32_t *group_of;          /* the session's group of each of the schedule's; UINT32_MAX: not recorded */
    struct error *err;
    bool failed;
};

/* Why one of the metric's events can't be counted here; NULL: all can. */
static const char *metric_missing(const struct topdown_step *step, uint32_t metric, const struct term_spec *specs)
{
    const struct metric_table *table = step->session->setup->table;
    bool *needed = arena_array(&step->session->arena, bool, table->terms.count + 1);
    if (table->metrics.items[metric].problem)
        return table->metrics.items[metric].problem;
    table_terms_needed(table, metric, step->session->setup->constants, needed);
    for (size_t at = 0; at < table->terms.count; at++) {
        const struct table_term *term = &table->terms.items[at];
        bool has_default = term->kind == TERM_LATENCY && term->event != TABLE_NONE &&
                           table->events.items[term->event].latency_default > 0;
        if (needed[at] && !has_default && specs[at].count != 1)
            return arena_printf(&step->session->arena, "%s: %s", term->name,
                                specs[at].count ? "several PMUs outside the cores count it; plumb stat adds them up"
                                                : specs[at].why_not);
    }
    return NULL;
}

/* What leads PERF_METRICS, or is one of its fields, opens in its group only: sysfs has said that it does. */
static bool opens_alone(const struct table_term *term)
{
    enum { SLOTS_UMASK = 0x04, FIELD_FIRST = 0x80 };
    return term->pmu || !term->code.known || term->code.event ||
           (term->code.umask != SLOTS_UMASK && term->code.umask < FIELD_FIRST);
}

/* Events that the kernel refuses cost no pass. */
static void terms_try(struct topdown_step *step, struct term_spec *specs, const bool *wanted)
{
    struct topdown_session *session = step->session;
    const struct metric_table *table = session->setup->table;
    for (size_t at = 0; at < table->terms.count; at++) {
        struct error reason = {0};
        if (!wanted[at] || specs[at].count != 1 || !opens_alone(&table->terms.items[at]))
            continue;
        if (!session->term_refused[at])
            session->term_refused[at] = event_trial_opens(&specs[at].specs[0], session->setup->kernel,
                                                          session->setup->root, &session->arena, &reason)
                                            ? ""
                                            : arena_string(&session->arena, reason.message);
        if (session->term_refused[at][0])
            specs[at] = (struct term_spec){.why_not = session->term_refused[at], .hint = ""};
    }
}

static void specs_find(struct topdown_step *step, const uint32_t *metrics, size_t count)
{
    struct topdown_session *session = step->session;
    const struct metric_table *table = session->setup->table;
    bool *wanted = arena_array(&session->arena, bool, table->terms.count + 1);
    struct term_spec *specs = arena_array(&session->arena, struct term_spec, table->terms.count + 1);
    for (size_t at = 0; at < count; at++)
        table_terms_needed(table, metrics[at], session->setup->constants, wanted);
    for (size_t at = 0; at < session->control_count; at++)
        table_terms_needed(table, session->controls[at], session->setup->constants, wanted);
    if (session->cycles != TABLE_NONE)
        wanted[session->cycles] = true;
    if (session->instructions != TABLE_NONE)
        wanted[session->instructions] = true;
    term_specs_find(specs, table, wanted, session->setup->root, &session->arena);
    terms_try(step, specs, wanted);
    step->specs = arena_array(&session->arena, struct event_spec, table->terms.count + 1);
    for (size_t at = 0; at < table->terms.count; at++)
        if (specs[at].count == 1)
            step->specs[at] = specs[at].specs[0];
    step->metrics = arena_array(&session->arena, uint32_t, count + 1);
    for (size_t at = 0; at < count; at++) {
        const char *missing = metric_missing(step, metrics[at], specs);
        session->places[metrics[at]].why_not = missing;
        if (!missing)
            step->metrics[step->metric_count++] = metrics[at];
    }
}

static bool is_countable(const struct topdown_step *step, uint32_t term)
{
    return step->specs[term].name != NULL;
}

/* Instructions, cycles, and what the first level is computed from: where it costs nothing, or there is room. */
static void companions_find(struct topdown_step *step)
{
    struct topdown_session *session = step->session;
    const struct metric_table *table = session->setup->table;
    uint32_t *companions = arena_array(&session->arena, uint32_t, COMPANIONS_MOST + 2);
    bool *of_control = arena_array(&session->arena, bool, table->terms.count + 1);
    size_t count = 0;
    if (session->instructions != TABLE_NONE && is_countable(step, session->instructions))
        companions[count++] = session->instructions;
    if (session->cycles != TABLE_NONE && is_countable(step, session->cycles))
        companions[count++] = session->cycles;
    for (size_t at = 0; at < session->control_count; at++)
        table_terms_needed(table, session->controls[at], session->setup->constants, of_control);
    for (unsigned kind = SCHEDULE_SLOTS; kind <= SCHEDULE_TOPDOWN; kind++)
        for (uint32_t at = 0; at < table->terms.count && count < COMPANIONS_MOST; at++)
            if (of_control[at] && step->request.events[at].kind == kind && is_countable(step, at))
                companions[count++] = at;
    for (uint32_t at = 0; at < table->terms.count && count < COMPANIONS_MOST; at++)
        if (of_control[at] && step->request.events[at].kind == SCHEDULE_COUNTER && is_countable(step, at) &&
            at != session->cycles && at != session->instructions)
            companions[count++] = at;
    step->request.companions = (struct schedule_set){companions, count};
}

static bool schedule_make(struct topdown_step *step, struct error *err)
{
    struct topdown_session *session = step->session;
    const struct topdown_setup *setup = session->setup;
    schedule_request_of_table(&step->request, setup->table, step->metrics, step->metric_count, &session->pmu,
                              setup->constants, &session->arena);
    companions_find(step);
    if (!counter_trial_run(&step->trial, &step->schedule, &step->request, step->specs, setup->kernel, setup->root,
                           &session->arena, err))
        return false;
    for (size_t at = 0; at < step->trial.given_up_count; at++)
        note_once(session, arena_printf(&session->arena, "others hold counters: this was done without %s",
                                        step->trial.given_up[at]));
    session->pmu = step->trial.pmus[0];
    return true;
}

/* ---- its passes -------------------------------------------------------------------------------------------- */

static bool group_has(const struct schedule_group *group, uint32_t term)
{
    for (size_t at = 0; at < group->count; at++)
        if (group->events[at] == term)
            return true;
    return false;
}

/* Whether all groups have room for what the first level needs. */
static bool control_is_free(const struct topdown_step *step)
{
    const struct topdown_session *session = step->session;
    for (size_t group = 0; group < step->schedule.group_count; group++)
        for (size_t at = 0; at < step->request.companions.count; at++)
            if (!group_has(&step->schedule.groups[group], step->request.companions.events[at]))
                return false;
    return session->pmu.topdown_fields > 0;
}

static void plan_make(struct topdown_step *step, size_t group_count)
{
    const struct topdown_setup *setup = step->session->setup;
    uint64_t rotation_ms = 0;
    if (!sysroot_u64(setup->root, &rotation_ms, "/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"))
        rotation_ms = 0;
    struct pass_question question = {.group_count = group_count,
                                     .repeatable = setup->is_program,
                                     .seconds = setup->is_program ? step->session->seconds : setup->seconds,
                                     .rotation_ns = rotation_ms * 1000000,
                                     .has_topdown_fields = step->session->pmu.topdown_fields > 0,
                                     .control_is_free = control_is_free(step),
                                     .interval_ns = setup->read_ns};
    if (setup->once) { /* how long it lasts shows afterwards: a budget that no second run fits */
        question.seconds = 1e9;
        question.budget_seconds = 1;
    }
    pass_plan_make(&step->plan, &question);
    if (setup->read_ns && step->plan.way != PASS_MULTIPLEX)
        step->plan.read_ns = setup->read_ns;
}

static void exit_take(struct topdown_session *session, int exit_code)
{
    session->exits++;
    if (!session->has_exit) {
        session->exit_code = exit_code;
    } else if (exit_code != session->exit_code) {
        session->exit_other = exit_code;
        session->exits_other++;
    }
    session->has_exit = true;
}

static uint32_t first_level_find(const struct topdown_step *step)
{
    const struct metric_table *table = step->session->setup->table;
    size_t *nodes = arena_array(&step->session->arena, size_t, step->schedule.group_count + 1), most = 0;
    uint32_t best = UINT32_MAX;
    for (size_t at = 0; at < step->metric_count; at++) {
        const struct schedule_place *place = &step->schedule.places[at];
        if (table->metrics.items[step->metrics[at]].level != 1 || place->group_count != 1 ||
            ++nodes[place->groups[0]] <= most)
            continue;
        most = nodes[place->groups[0]];
        best = place->groups[0];
    }
    return best;
}

static void window_tell(void *context, const struct pass_group *read)
{
    struct topdown_step *step = context;
    const struct topdown_session *session = step->session;
    const struct schedule_group *planned = &step->schedule.groups[read->group];
    if (read->group != step->first_level)
        return;
    session->setup->window_done(
        session->setup->context,
        &(struct topdown_window){.group = {.terms = planned->events,
                                           .term_count = planned->count,
                                           .windows = read->windows,
                                           .window_count = read->window_count,
                                           .refused = read->refused},
                                 .run = step->pass_begun,
                                 .runs = step->plan.way == PASS_RUNS ? step->record_count : 1,
                                 .sharing = step->plan.way == PASS_MULTIPLEX ? step->trial_runs : 1,
                                 .read_ns = step->plan.read_ns});
}

static bool has_group(const uint32_t *groups, size_t count, uint32_t wanted)
{
    for (size_t at = 0; at < count; at++)
        if (groups[at] == wanted)
            return true;
    return false;
}

static bool pass_make(struct topdown_step *step, const uint32_t *groups, size_t count, size_t index, struct error *err)
{
    struct topdown_session *session = step->session;
    const struct topdown_setup *setup = session->setup;
    bool tells = setup->window_done && session->steps == 1 && !step->first_level_told &&
                 has_group(groups, count, step->first_level);
    struct pass_request request = {.events = &step->request,
                                   .schedule = &step->schedule,
                                   .specs = step->specs,
                                   .groups = groups,
                                   .group_count = count,
                                   .slice_ns = step->plan.slice_ns,
                                   .read_ns = step->plan.read_ns,
                                   .seed = session->passes + 1,
                                   .window_read = tells ? window_tell : NULL,
                                   .context = step};
    step->pass_begun++;
    step->first_level_told |= tells;
    uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!pass_record_make(&step->records[index], &request, &setup->subject, setup->kernel, setup->root, &session->arena,
                          err))
        return false;
    session->own_ns += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
    exit_take(session, step->records[index].exit_code);
    session->interrupted |= workload_stop_requested();
    if (setup->first_pass_done)
        setup->first_pass_done(setup->context);
    return true;
}

/* A pass for each group, by the engine of repeated runs: in random order, and again when the machine slept. */
struct group_run {
    struct topdown_step *step;
    const struct experiment_arm *arms;
    const uint32_t *groups;
    size_t count;
    size_t done;
    const uint32_t *controls; /* groups that rotate with each other one */
    size_t control_count;
};

static bool group_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                      int *ret_exit_code, struct error *err)
{
    struct group_run *run = context;
    struct topdown_step *step = run->step;
    const struct topdown_setup *setup = step->session->setup;
    size_t index = (size_t)(arm - run->arms), count = 1;
    uint32_t *groups = arena_array(&step->session->arena, uint32_t, run->control_count + 1);
    (void)block;
    groups[0] = run->groups[index];
    for (size_t at = 0; at < run->control_count; at++)
        if (run->controls[at] != groups[0])
            groups[count++] = run->controls[at];
    if (setup->progress)
        setup->progress(setup->context,
                        arena_printf(&step->session->arena, "pass %zu of %zu", ++run->done, run->count));
    if (!pass_make(step, groups, count, index, err))
        return false;
    ret_cells[0] = measured_as((double)step->records[index].elapsed_ns / 1e9);
    *ret_exit_code = step->records[index].exit_code;
    return true;
}

/* Groups that hold a first-level node. */
static size_t control_groups(const struct topdown_step *step, uint32_t *ret)
{
    const struct metric_table *table = step->session->setup->table;
    size_t count = 0;
    for (size_t at = 0; at < step->metric_count; at++) {
        const struct schedule_place *place = &step->schedule.places[at];
        bool had = table->metrics.items[step->metrics[at]].level != 1 || place->group_count != 1 ||
                   !step->trial.group_ran[place->groups[0]];
        for (size_t other = 0; other < count && !had; other++)
            had = ret[other] == place->groups[0];
        if (!had && count < 1)
            ret[count++] = place->groups[0];
    }
    return count;
}

static bool runs_make(struct topdown_step *step, const uint32_t *groups, size_t count, struct error *err)
{
    struct topdown_session *session = step->session;
    static const struct run_quantity quantities[] = {{"wall", "wall time", RUN_SECONDS}};
    static char *const nameless[] = {(char *)"(program)", NULL};
    struct experiment_arm *arms = arena_array(&session->arena, struct experiment_arm, count + 1);
    uint32_t *controls = arena_array(&session->arena, uint32_t, step->schedule.group_count + 1);
    const size_t blocks = 1;
    for (size_t at = 0; at < count; at++)
        arms[at] = (struct experiment_arm){.label = arena_printf(&session->arena, "group %zu", at + 1),
                                           .argv = session->setup->argv ? session->setup->argv : nameless};
    struct group_run run = {.step = step,
                            .arms = arms,
                            .groups = groups,
                            .count = count,
                            .controls = controls,
                            .control_count =
                                step->plan.control == CONTROL_ROTATES ? control_groups(step, controls) : 0};
    struct experiment_request request = {.arms = arms,
                                         .arm_count = count,
                                         .seed = session->steps + 1,
                                         .keep_failed = true,
                                         .runner = {.context = &run,
                                                    .quantities = quantities,
                                                    .quantity_count = array_count(quantities),
                                                    .run = group_run},
                                         .policy = experiment_policy_fixed(&blocks),
                                         .root = session->setup->root};
    struct experiment_result result = {0};
    bool good = experiment_run_blocks(&request, &result, err);
    session->interrupted |= result.interrupted;
    experiment_result_done(&result);
    return good;
}

/* Groups that ran when they were tried: the others would cost a pass for nothing. */
static size_t groups_that_run(struct topdown_step *step, uint32_t *ret)
{
    size_t count = 0;
    for (uint32_t at = 0; at < step->schedule.group_count; at++)
        if (step->trial.group_ran[at])
            ret[count++] = at;
    return count;
}

static bool too_short(struct topdown_step *step, size_t groups, struct error *err)
{
    double lasted = (double)step->records[0].elapsed_ns / 1e9;
    if (step->plan.way != PASS_MULTIPLEX || lasted >= step->plan.needed_seconds)
        return false;
    error_set(err, ERROR_LIMIT, "%zu groups of events share one run, which must last %.1f s for that; it lasted %.2g s",
              groups, step->plan.needed_seconds, lasted);
    error_hint(err, "without --once the program runs again for each group; or ask for less (-l 1)");
    return true;
}

static bool passes_make(struct topdown_step *step, struct error *err)
{
    struct topdown_session *session = step->session;
    uint32_t *groups = arena_array(&session->arena, uint32_t, step->schedule.group_count + 1);
    size_t count = groups_that_run(step, groups);
    step->records = arena_array(&session->arena, struct pass_record, count + 1);
    if (!count)
        return true;
    step->trial_runs = count;
    step->first_level = first_level_find(step);
    plan_make(step, count);
    if (step->plan.way == PASS_REFUSED) {
        error_set(err, ERROR_LIMIT, "%s", step->plan.why);
        return error_hint(err, "watch it for longer (--duration), or ask for less (-l 1)");
    }
    if (step->plan.way == PASS_RUNS) {
        step->record_count = count;
        return runs_make(step, groups, count, err);
    }
    if (!session->setup->is_program && !(session->setup->seconds > 0) && session->setup->watch_lasts)
        session->setup->watch_lasts(session->setup->context, (count > 1 ? 5 * count : 2) * (uint64_t)NANOSECONDS);
    step->record_count = 1;
    if (session->setup->progress)
        session->setup->progress(session->setup->context, step->plan.why);
    return pass_make(step, groups, count, 0, err) && !too_short(step, count, err);
}

/* ---- what came of it --------------------------------------------------------------------------------------- */

static bool is_control_again(const struct pass_record *record, size_t index)
{
    return index > 0 && record->group_count > 1 && record->groups[index].group != record->groups[0].group;
}

static void records_take(struct topdown_step *step)
{
    struct topdown_session *session = step->session;
    step->group_of = arena_array(&session->arena, uint32_t, step->schedule.group_count + 1);
    for (size_t at = 0; at < step->schedule.group_count; at++)
        step->group_of[at] = UINT32_MAX;
    for (size_t pass = 0; pass < step->record_count; pass++) {
        const struct pass_record *record = &step->records[pass];
        for (size_t at = 0; at < record->group_count; at++) {
            const struct pass_group *counted = &record->groups[at];
            const struct schedule_group *planned = &step->schedule.groups[counted->group];
            session->user_only |= counted->user_only;
            if (step->group_of[counted->group] == UINT32_MAX ||
                !(step->plan.way == PASS_RUNS && is_control_again(record, at)))
                step->group_of[counted->group] = (uint32_t)session->groups.count;
            *vec_push(&session->cpus) = (struct topdown_cpus){counted->cpus, counted->cpu_windows, counted->cpu_count};
            *vec_push(&session->groups) = (struct metric_group){.terms = planned->events,
                                                                .term_count = planned->count,
                                                                .windows = counted->windows,
                                                                .window_count = counted->window_count,
                                                                .refused = counted->refused,
                                                                .pass = session->passes};
        }
        if (record->group_count)
            *vec_push(&session->faults) = (struct topdown_pass_faults){record->faults, record->fault_count};
        session->passes += record->group_count > 0;
        if (record->elapsed_ns && !(session->interrupted && session->seconds > 0))
            session->seconds = (double)record->elapsed_ns / 1e9;
    }
}

static void places_take(struct topdown_step *step)
{
    struct topdown_session *session = step->session;
    for (size_t at = 0; at < step->metric_count; at++) {
        const struct schedule_place *planned = &step->schedule.places[at];
        struct metric_place *place = &session->places[step->metrics[at]];
        uint32_t *groups = arena_array(&session->arena, uint32_t, planned->group_count + 1);
        size_t count = 0;
        for (size_t group = 0; group < planned->group_count; group++)
            if (step->group_of[planned->groups[group]] != UINT32_MAX)
                groups[count++] = step->group_of[planned->groups[group]];
        if (place->group_count)
            continue;
        *place = (struct metric_place){.groups = groups, .group_count = count == planned->group_count ? count : 0};
        if (!place->group_count)
            place->why_not = planned->fit == SCHEDULE_REFUSED ? planned->why
                             : step->left_out                 ? step->left_out
                             : session->interrupted
                                 ? "it was interrupted before"
                                 : "its events never had their turn on the counters: others hold them";
    }
}

/* ---- values and agreement ---------------------------------------------------------------------------------- */

static struct topdown_values_request values_request(const struct topdown_session *session)
{
    return (struct topdown_values_request){.table = session->setup->table,
                                           .groups = session->groups.items,
                                           .group_count = session->groups.count,
                                           .places = session->places,
                                           .constants = session->setup->constants,
                                           .cpu_id = session->setup->cpu_id,
                                           .cycles = session->cycles};
}

/* A control's value in one pass, from whichever of its groups has all of it. */
static struct measured control_in_pass(struct topdown_session *session, uint32_t metric, size_t pass)
{
    struct topdown_values_request request = values_request(session);
    for (size_t at = 0; at < session->groups.count; at++) {
        if (session->groups.items[at].pass != pass)
            continue;
        struct measured value = metric_group_value(&request, metric, &session->groups.items[at], &session->arena);
        if (value.known)
            return value;
    }
    return not_measured("its events had no room in that pass");
}

static struct measured count_in_pass(const struct topdown_session *session, uint32_t term, size_t pass)
{
    for (size_t at = 0; at < session->groups.count; at++)
        if (session->groups.items[at].pass == pass)
            return metric_group_count(&session->groups.items[at], term);
    return not_measured("it was not counted");
}

/* A run that was interrupted is no other run of the same. */
static size_t passes_whole(const struct topdown_session *session)
{
    return session->passes - (session->interrupted && session->setup->is_program && session->passes > 1);
}

/*
 * Relative variance of a term's rate per cycle (of cycles: of their number) over the passes that counted both; false:
 * fewer than two, or too rare.
 */
static bool term_spread(const struct topdown_session *session, uint32_t term, double *ret_variance, double *ret_freedom)
{
    size_t whole = passes_whole(session);
    enum { RARE = 10000 };
    double mean = 0, squares = 0, count = 0, least = INFINITY;
    for (size_t at = 0; at < session->groups.count; at++) {
        const struct metric_group *group = &session->groups.items[at];
        struct measured counted =
            group->pass < whole ? metric_group_count(group, term) : not_measured("it was interrupted");
        struct measured rate =
            term == session->cycles ? counted : measured_ratio(counted, metric_group_count(group, session->cycles));
        if (!rate.known)
            continue;
        least = fmin(least, counted.value);
        double difference = rate.value - mean;
        mean += difference / ++count;
        squares += difference * (rate.value - mean);
    }
    if (count < 2 || least < RARE || !(mean > 0))
        return false;
    *ret_freedom = count - 1;
    *ret_variance = squares / (count - 1) / (mean * mean);
    return true;
}

/*
 * How much what was counted in several passes differed, on average over all such events: others are taken to differ so.
 * Cycles themselves speak only where nothing else was repeated: a slower run has more of all that stalls.
 */
static double repeated_spread(const struct topdown_session *session)
{
    double sum = 0, freedom = 0, variance, own;
    for (uint32_t term = 0; term < session->setup->table->terms.count && session->passes > 1; term++) {
        if (term == session->cycles || !term_spread(session, term, &variance, &own))
            continue;
        sum += own * variance;
        freedom += own;
    }
    if (!(freedom > 0) && session->passes > 1 && session->setup->is_program && session->cycles != TABLE_NONE &&
        term_spread(session, session->cycles, &variance, &own))
        return sqrt(variance);
    return freedom > 0 ? sqrt(sum / freedom) : 0;
}

static void agreement_find(struct topdown_session *session)
{
    struct pass_control_values *passes = arena_array(&session->arena, struct pass_control_values, session->passes + 1);
    for (size_t pass = 0; pass < session->passes; pass++) {
        passes[pass].instructions = session->setup->is_program ? count_in_pass(session, session->instructions, pass)
                                                               : not_measured("it goes on");
        for (size_t at = 0; at < TOPDOWN_CONTROLS_MOST; at++)
            passes[pass].shares[at] = at < session->control_count
                                          ? control_in_pass(session, session->controls[at], pass)
                                          : not_measured("there is no such control");
    }
    session->pass_controls = passes;
    pass_agreement_find(&session->agreement, passes, passes_whole(session), session->control_count);
    double spread = repeated_spread(session);
    if (spread > session->agreement.run_spread) {
        session->agreement.run_spread = spread;
        session->agreement.run_freedom = (double)passes_whole(session) - 1;
    }
}

bool topdown_session_contradicts(const struct topdown_session *session)
{
    return session->agreement.share_spread > share_spread_contradicts;
}

void topdown_session_values(struct topdown_session *session, const struct metric_group *groups,
                            struct topdown_values *ret_values)
{
    struct topdown_values_request request = values_request(session);
    request.groups = groups;
    request.run_spread = session->agreement.run_spread;
    request.run_freedom = session->agreement.run_freedom;
    struct interval *ranges = arena_array(&session->arena, struct interval, session->setup->table->metrics.count + 1);
    for (size_t at = 0; at < session->control_count; at++)
        ranges[session->controls[at]] = session->agreement.ranges[at];
    request.ranges = ranges;
    topdown_values_find(ret_values, &request, &session->arena);
    if (topdown_session_contradicts(session))
        ret_values->contradiction = "the passes contradict each other; what each of them had stands below";
}

struct measured topdown_session_on_cpus(struct topdown_session *session, uint32_t metric, size_t group,
                                        const bool *wanted)
{
    const struct topdown_cpus *cpus = &session->cpus.items[group];
    struct topdown_values_request request = values_request(session);
    struct metric_group one = session->groups.items[group];
    struct group_window *windows = arena_array(&session->arena, struct group_window, cpus->count + 1);
    one.window_count = 0;
    for (size_t at = 0; at < cpus->count; at++)
        if (wanted[at])
            windows[one.window_count++] = cpus->windows[at];
    one.windows = windows;
    return metric_group_value(&request, metric, &one, &session->arena);
}

/* Loading is no part of the answer. */
static void values_find(struct topdown_session *session)
{
    struct topdown_timeline timeline;
    agreement_find(session);
    topdown_timeline_find(&timeline, session, &session->arena);
    session->has_warmup = topdown_timeline_has_warmup(&timeline);
    topdown_session_values(session,
                           session->has_warmup
                               ? topdown_timeline_groups(&timeline, session, TIMELINE_WORK, &session->arena)
                               : session->groups.items,
                           &session->values);
}

bool topdown_step_plan(struct topdown_session *session, const uint32_t *metrics, size_t count,
                       struct topdown_step **ret_step, struct scheduled_counters_request *ret_request,
                       struct error *err)
{
    struct topdown_step *step = arena_array(&session->arena, struct topdown_step, 1);
    step->session = session;
    specs_find(step, metrics, count);
    session->steps++;
    if (step->metric_count && !schedule_make(step, err))
        return false;
    uint32_t *groups = arena_array(&session->arena, uint32_t, step->schedule.group_count + 1);
    *ret_request =
        (struct scheduled_counters_request){.events = &step->request,
                                            .schedule = &step->schedule,
                                            .specs = step->specs,
                                            .groups = groups,
                                            .group_count = step->metric_count ? groups_that_run(step, groups) : 0};
    *ret_step = step;
    return true;
}

void topdown_step_limit(struct topdown_step *step, unsigned level, const char *why,
                        struct scheduled_counters_request *request)
{
    const struct metric_table *table = step->session->setup->table;
    bool *wanted = arena_array(&step->session->arena, bool, step->schedule.group_count + 1);
    uint32_t *groups = arena_array(&step->session->arena, uint32_t, request->group_count + 1);
    size_t count = 0;
    for (size_t at = 0; at < step->metric_count; at++) {
        const struct schedule_place *place = &step->schedule.places[at];
        unsigned own = table->metrics.items[step->metrics[at]].level;
        for (size_t group = 0; group < place->group_count && own && own <= level; group++)
            wanted[place->groups[group]] = true;
    }
    for (size_t at = 0; at < request->group_count; at++)
        if (wanted[request->groups[at]])
            groups[count++] = request->groups[at];
    request->groups = groups;
    request->group_count = count;
    step->left_out = why;
}

void topdown_step_take(struct topdown_step *step, const struct pass_record *record)
{
    step->records = arena_array(&step->session->arena, struct pass_record, 1);
    step->records[0] = *record;
    step->record_count = 1;
    records_take(step);
    places_take(step);
}

bool topdown_session_measure(struct topdown_session *session, const uint32_t *metrics, size_t count, struct error *err)
{
    struct topdown_step step = {.session = session};
    specs_find(&step, metrics, count);
    session->steps++;
    if (step.metric_count) {
        bool good = schedule_make(&step, err) && passes_make(&step, err);
        if (!good)
            return false;
        records_take(&step);
        places_take(&step);
    }
    values_find(session);
    return true;
}

/* ---- the drill --------------------------------------------------------------------------------------------- */

/* Whether the node and all above it are flagged. */
static bool chain_flagged(const struct topdown_session *session, uint32_t metric)
{
    for (unsigned depth = 0; metric != TABLE_NONE && depth < 16; depth++) {
        if (session->values.decisions[metric] != DECISION_YES)
            return false;
        metric = session->setup->table->metrics.items[metric].parent;
    }
    return true;
}

static size_t drill_next(const struct topdown_session *session, const bool *asked, uint32_t *ret)
{
    const struct metric_table *table = session->setup->table;
    size_t count = 0;
    for (uint32_t at = 0; at < table->metrics.count; at++) {
        const struct table_metric *metric = &table->metrics.items[at];
        if (metric->level && metric->parent != TABLE_NONE && !asked[at] && !session->places[at].group_count &&
            !session->places[at].why_not && chain_flagged(session, metric->parent))
            ret[count++] = at;
    }
    return count;
}

/*
 * Two or three runs say little of how runs differ, and leave open what more would decide: nodes below flagged ones,
 * counted once more. What they are worth stays; how far off that may be gets known better.
 */
static size_t undecided_again(const struct topdown_session *session, uint32_t *ret)
{
    const struct metric_table *table = session->setup->table;
    bool runs_differ = session->setup->is_program && !session->setup->once && session->agreement.run_spread > 0;
    size_t count = 0;
    for (uint32_t at = 0; at < table->metrics.count && runs_differ && session->agreement.run_freedom < FREEDOM_ENOUGH;
         at++) {
        const struct table_metric *metric = &table->metrics.items[at];
        bool open = metric->level && metric->threshold.text[0] && session->places[at].group_count &&
                    session->values.qualities[at].interval.known && session->values.decisions[at] == DECISION_UNDECIDED;
        if (open && (metric->parent == TABLE_NONE || chain_flagged(session, metric->parent)))
            ret[count++] = at;
    }
    return count;
}

/* What was asked for and didn't come says why; what was measured before stays. */
static void drill_ended(struct topdown_session *session, const uint32_t *asked, size_t count, const struct error *why)
{
    const char *text = arena_string(&session->arena, why->message);
    for (size_t at = 0; at < count; at++)
        if (!session->places[asked[at]].group_count && !session->places[asked[at]].why_not)
            session->places[asked[at]].why_not = text;
    values_find(session);
}

bool topdown_session_drill(struct topdown_session *session, struct error *err)
{
    size_t metrics = session->setup->table->metrics.count;
    bool *asked = arena_array(&session->arena, bool, metrics + 1);
    for (unsigned step = 0; step < STEPS_MOST && !session->interrupted && !workload_stop_requested(); step++) {
        uint32_t *next = arena_array(&session->arena, uint32_t, metrics + 1);
        size_t count = drill_next(session, asked, next);
        count = count ? count : undecided_again(session, next);
        if (!count)
            return true;
        for (size_t at = 0; at < count; at++)
            asked[next[at]] = true;
        if (!topdown_session_measure(session, next, count, err)) {
            drill_ended(session, next, count, err);
            return false;
        }
    }
    return true;
}
