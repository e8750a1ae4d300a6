/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a schedule through the counting engine on a simulated PMU to a value with its interval: is the planted ratio in it? */
#include "test.h"

#include "analyse/topdown/metric_quality.h"
#include "analyse/topdown/pass_agreement.h"
#include "capture/counters/counter_trial.h"
#include "capture/counters/scheduled_counters.h"
#include "metric/schedule/pass_plan.h"
#include "scripted_program.h"
#include "source/live/target.h"

#include <errno.h>

#define MS 1000000u

struct bench {
    struct scripted program;
    struct arena arena;
    struct sysroot root;
    struct schedule_request request;
    struct schedule schedule;
    uint32_t groups[64];
    struct target target;
    struct simulated_pmu *pmu;
    struct scheduled_counters *set;
};

static void bench_init(struct bench *bench, const struct scripted_model *model, unsigned number)
{
    static const uint32_t companions[] = {SCRIPTED_CYCLES, SCRIPTED_INSTRUCTIONS};
    struct error err = {0};
    *bench = (struct bench){0};
    arena_init(&bench->arena);
    sysroot_init(&bench->root, "/nonexistent");
    scripted_make(&bench->program, model, number);
    bench->request = (struct schedule_request){
        .events = bench->program.events, .event_count = SCRIPTED_EVENTS, .metrics = bench->program.metrics,
        .metric_count = bench->program.metric_count, .pmus = &bench->program.pmu, .pmu_count = 1,
        .companions = {companions, array_count(companions)}};
    cr_assert(schedule_build(&bench->schedule, &bench->request, &bench->arena, &err), "%s", err.message);
    cr_assert_leq(bench->schedule.group_count, array_count(bench->groups));
    for (uint32_t at = 0; at < bench->schedule.group_count; at++)
        bench->groups[at] = at;
}

static void bench_open(struct bench *bench, struct simulated_plan plan, const uint32_t *groups, size_t group_count, bool attach)
{
    struct error err = {0};
    bench->pmu = simulated_pmu_new(&plan);
    target_of_workload(&bench->target, 100, &bench->arena);
    bench->target.kind = attach ? TARGET_THREADS : TARGET_WORKLOAD;
    struct scheduled_counters_request request = {.events = &bench->request, .schedule = &bench->schedule,
        .specs = bench->program.specs, .groups = groups, .group_count = group_count, .target = &bench->target, .inherit = true};
    cr_assert(scheduled_counters_open(&bench->set, &request, simulated_pmu_kernel(bench->pmu), &bench->root, &err), "%s", err.message);
    for (size_t group = 0; group < group_count; group++)
        for (size_t event = 0; event < bench->schedule.groups[groups[group]].count; event++)
            cr_assert_not(scheduled_counters_refused(bench->set, group, event, &bench->root, &err), "%s: %s",
                          bench->program.model->name, err.message);
}

static void bench_close(struct bench *bench)
{
    scheduled_counters_free(bench->set);
    cr_expect_eq(simulated_pmu_open_count(bench->pmu), 0, "descriptors leak");
    simulated_pmu_free(bench->pmu);
}

/* The metric's windows in its own group, which is number `opened` of those that were opened. */
static struct metric_quality bench_quality(const struct bench *bench, size_t metric, size_t opened, double spread, double freedom)
{
    const struct schedule_metric *asked = &bench->program.metrics[metric];
    const struct schedule_group *group = &bench->schedule.groups[bench->schedule.places[metric].groups[0]];
    const struct group_window *windows;
    size_t count = scheduled_counters_windows(bench->set, opened, &windows);
    struct ratio_window *ratios = calloc(count + 1, sizeof(*ratios));
    for (size_t window = 0; window < count; window++) {
        ratios[window] = (struct ratio_window){.enabled_ns = windows[window].enabled_ns, .running_ns = windows[window].running_ns};
        for (size_t event = 0; event < group->count; event++)
            for (size_t used = 0; used < asked->events.count; used++)
                if (group->events[event] == asked->events.events[used])
                    *(used + 1 == asked->events.count ? &ratios[window].denominator : &ratios[window].numerator) +=
                        windows[window].counts[event];
    }
    bool field = bench->program.events[asked->events.events[0]].kind == SCHEDULE_TOPDOWN;
    struct metric_quality quality;
    ratio_quality_find(&quality, &(struct ratio_question){.windows = ratios, .window_count = count, .factor = 1, .fields = field,
                                                          .run_spread = spread, .run_freedom = freedom});
    free(ratios);
    return quality;
}

/* What the whole run would have shown to a PMU without limits. */
static double bench_truth(const struct bench *bench, size_t metric)
{
    const struct schedule_set *events = &bench->program.metrics[metric].events;
    double numerator = 0;
    for (size_t at = 0; at + 1 < events->count; at++)
        numerator += simulated_pmu_truth(bench->pmu, PERF_TYPE_RAW, bench->program.specs[events->events[at]].attr.config);
    return numerator / simulated_pmu_truth(bench->pmu, PERF_TYPE_RAW, bench->program.specs[events->events[events->count - 1]].attr.config);
}

struct tally {
    size_t held, asked;
    double width; /* sum of relative widths */
};

static void tally_add(struct tally *tally, const struct metric_quality *quality, double truth)
{
    cr_assert(quality->value.known && quality->interval.known);
    tally->held += quality->interval.low <= truth && truth <= quality->interval.high;
    tally->asked++;
    tally->width += (quality->interval.high - quality->interval.low) / truth;
}

static void tally_check(const struct tally *tally, const char *what, const char *model)
{
    cr_expect_gt(tally->asked, 0);
    cr_expect_geq((double)tally->held, 0.93 * (double)tally->asked, "%s, %s: %zu of %zu", what, model, tally->held, tally->asked);
    cr_expect_lt(tally->width / (double)tally->asked, 1.0, "%s, %s: %g is no statement", what, model, tally->width / (double)tally->asked);
}

/* ---- one run shared by all groups -------------------------------------------------------------------------- */

static void multiplexed_run(struct bench *bench, struct simulated_noise noise, struct tally *tally)
{
    struct pass_question question = {.group_count = bench->schedule.group_count, .seconds = 8, .repeatable = true, .budget_seconds = 1,
                                     .has_topdown_fields = bench->program.model->fields > 0};
    struct pass_plan turns;
    struct simulated_plan plan = scripted_plan(&bench->program);
    plan.noise = noise;
    pass_plan_make(&turns, &question);
    cr_assert(turns.way == PASS_MULTIPLEX || turns.way == PASS_ONCE, "%s", turns.why);
    bench_open(bench, plan, bench->groups, bench->schedule.group_count, false);
    scheduled_counters_start(bench->set, SCHEDULED_ALL, 0);
    simulated_pmu_exec(bench->pmu, 100);
    for (uint64_t now = 0; now < 8000000000u; now += turns.read_ns) {
        simulated_pmu_run(bench->pmu, turns.read_ns);
        scheduled_counters_read(bench->set, SCHEDULED_ALL, now + turns.read_ns);
    }
    for (size_t metric = 0; metric < bench->program.metric_count; metric++) {
        cr_assert_eq(bench->schedule.places[metric].fit, SCHEDULE_TOGETHER, "%s", bench->schedule.places[metric].why);
        struct metric_quality quality = bench_quality(bench, metric, bench->schedule.places[metric].groups[0], 0, 0);
        cr_expect_eq((quality.marks & QUALITY_SCALED) != 0, bench->schedule.group_count > 1);
        tally_add(tally, &quality, bench_truth(bench, metric));
    }
    bench_close(bench);
}

Test(scheduled_counting, multiplexed_values_hold_the_truth)
{
    for (size_t model = 0; model < array_count(scripted_models); model++) {
        struct tally tally = {0};
        for (unsigned number = 1; number <= 8; number++) {
            struct bench bench;
            bench_init(&bench, &scripted_models[model], number);
            if (number % 4 == 0)
                scripted_phases(&bench.program, 30 * MS + number * MS);
            struct simulated_noise noise = {.seed = number * 31 + model, .block_ns = number % 2 ? 0 : 20 * MS, .shared = 0.2, .own = 0.3};
            multiplexed_run(&bench, noise, &tally);
            arena_done(&bench.arena);
        }
        tally_check(&tally, "multiplexed", scripted_models[model].name);
    }
}

/* ---- something that goes on, watched in turns -------------------------------------------------------------- */

static void sliced_run(struct bench *bench, struct simulated_noise noise, struct tally *tally)
{
    struct pass_plan turns;
    struct simulated_plan plan = scripted_plan(&bench->program);
    plan.noise = noise;
    plan.mux_interval_ns = 50 * MS;
    pass_plan_make(&turns, &(struct pass_question){.group_count = bench->schedule.group_count});
    cr_assert_eq(turns.way, PASS_SLICES);
    bench_open(bench, plan, bench->groups, bench->schedule.group_count, true);
    scheduled_counters_stop(bench->set, SCHEDULED_ALL);
    uint64_t now = 0;
    for (unsigned round = 0; round < 8; round++) {
        uint32_t order[64];
        pass_slice_order(noise.seed, round, bench->schedule.group_count, order);
        for (size_t at = 0; at < bench->schedule.group_count; at++) {
            scheduled_counters_start(bench->set, (int)order[at], now);
            simulated_pmu_run(bench->pmu, turns.slice_ns);
            now += turns.slice_ns;
            scheduled_counters_stop(bench->set, (int)order[at]);
            scheduled_counters_read(bench->set, (int)order[at], now);
        }
    }
    for (size_t metric = 0; metric < bench->program.metric_count; metric++) {
        struct metric_quality quality = bench_quality(bench, metric, bench->schedule.places[metric].groups[0], 0, 0);
        cr_expect_float_eq(quality.seen, 1.0 / (double)bench->schedule.group_count, 1e-9, "others' turns were not seen");
        tally_add(tally, &quality, bench_truth(bench, metric));
    }
    bench_close(bench);
}

Test(scheduled_counting, values_of_slices_hold_the_truth)
{
    for (size_t model = 0; model < array_count(scripted_models); model++) {
        struct tally tally = {0};
        for (unsigned number = 11; number <= 90; number++) {
            struct bench bench;
            bench_init(&bench, &scripted_models[model], number);
            if (number % 4 == 0)
                scripted_phases(&bench.program, 3700 * MS);
            struct simulated_noise noise = {.seed = number * 31 + model, .block_ns = number % 2 ? 400 * MS : 50 * MS, .shared = 0.2, .own = 0.3};
            sliced_run(&bench, noise, &tally);
            arena_done(&bench.arena);
        }
        tally_check(&tally, "in slices", scripted_models[model].name);
    }
}

/* ---- a run for each group ---------------------------------------------------------------------------------- */

/* What the program does on average: what is said of it, whichever run showed it. */
static double planted(const struct scripted *program, size_t metric)
{
    const struct schedule_set *events = &program->metrics[metric].events;
    double numerator = 0;
    for (size_t at = 0; at + 1 < events->count; at++)
        numerator += program->rules[events->events[at]].per_second;
    return numerator / program->rules[events->events[events->count - 1]].per_second;
}

/* The control of these programs: the first metric, in each run by a group of its own beside the run's. */
static size_t pass_groups(const struct bench *bench, uint32_t group, uint32_t *ret_groups)
{
    uint32_t control = bench->schedule.places[0].groups[0];
    ret_groups[0] = group;
    ret_groups[1] = control;
    return group == control ? 1 : 2;
}

struct passes {
    struct metric_quality own[SCRIPTED_METRICS]; /* of each metric, in its pass; intervals not used */
    struct ratio_window windows[SCRIPTED_METRICS];
    struct pass_control_values controls[32];
    size_t count;
};

static double window_sum(const struct bench *bench, size_t opened, uint32_t group, uint32_t event)
{
    const struct group_window *windows;
    size_t count = scheduled_counters_windows(bench->set, opened, &windows);
    double sum = 0;
    for (size_t at = 0; at < bench->schedule.groups[group].count; at++)
        for (size_t window = 0; bench->schedule.groups[group].events[at] == event && window < count; window++)
            sum += windows[window].counts[at];
    return sum;
}

static void pass_run(struct bench *bench, struct passes *passes, uint32_t group, struct simulated_noise noise)
{
    uint32_t groups[2];
    size_t count = pass_groups(bench, group, groups);
    struct simulated_plan plan = scripted_plan(&bench->program);
    plan.noise = noise;
    bench_open(bench, plan, groups, count, false);
    scheduled_counters_start(bench->set, SCHEDULED_ALL, 0);
    simulated_pmu_exec(bench->pmu, 100);
    for (uint64_t now = 100 * MS; now <= 2000 * MS; now += 100 * MS) {
        simulated_pmu_run(bench->pmu, 100 * MS);
        scheduled_counters_read(bench->set, SCHEDULED_ALL, now);
    }
    struct pass_control_values *control = &passes->controls[passes->count++];
    struct metric_quality first = bench_quality(bench, 0, count - 1, 0, 0);
    control->shares[0] = first.value;
    control->instructions = measured_as(window_sum(bench, 0, group, SCRIPTED_INSTRUCTIONS) * (double)count);
    for (size_t metric = 0; metric < bench->program.metric_count; metric++) {
        if (bench->schedule.places[metric].groups[0] != group)
            continue;
        const struct schedule_set *events = &bench->program.metrics[metric].events;
        struct ratio_window *window = &passes->windows[metric];
        *window = (struct ratio_window){.enabled_ns = 1, .running_ns = 1};
        for (size_t at = 0; at < events->count; at++)
            *(at + 1 == events->count ? &window->denominator : &window->numerator) += window_sum(bench, 0, group, events->events[at]);
    }
    bench_close(bench);
}

Test(scheduled_counting, values_of_passes_hold_what_the_program_does)
{
    struct tally tally = {0};
    for (size_t model = 0; model < array_count(scripted_models); model++)
        for (unsigned number = 21; number <= 32; number++) {
            struct bench bench;
            struct passes passes = {.count = 0};
            struct pass_agreement agreement;
            bench_init(&bench, &scripted_models[model], number);
            for (uint32_t group = 0; group < bench.schedule.group_count; group++)
                pass_run(&bench, &passes, group, (struct simulated_noise){.seed = number * 1000 + model * 100 + group, .shared = 0.1, .own = 0.02, .run = 0.01});
            cr_assert_geq(bench.schedule.group_count, 2);
            pass_agreement_find(&agreement, passes.controls, passes.count, 1);
            cr_assert(agreement.compared);
            for (size_t metric = 0; metric < bench.program.metric_count && agreement.run_spread > 0; metric++) {
                bool field = bench.program.events[bench.program.metrics[metric].events.events[0]].kind == SCHEDULE_TOPDOWN;
                struct metric_quality quality;
                ratio_quality_find(&quality, &(struct ratio_question){.windows = &passes.windows[metric], .window_count = 1, .factor = 1,
                    .fields = field, .run_spread = agreement.run_spread, .run_freedom = agreement.run_freedom});
                tally_add(&tally, &quality, planted(&bench.program, metric));
            }
            arena_done(&bench.arena);
        }
    tally_check(&tally, "a run for each group", "all models");
}

Test(scheduled_counting, passes_of_another_program_are_told_apart)
{
    struct bench bench;
    struct passes passes = {.count = 0};
    struct pass_agreement agreement;
    bench_init(&bench, &scripted_models[2], 5);
    cr_assert_geq(bench.schedule.group_count, 3);
    for (uint32_t group = 0; group < 3; group++) {
        if (group == 2)
            bench.program.rules[SCRIPTED_INSTRUCTIONS].per_second *= 1.1; /* other input */
        pass_run(&bench, &passes, group, (struct simulated_noise){0});
    }
    pass_agreement_find(&agreement, passes.controls, 2, 1);
    cr_expect(agreement.compared && agreement.agree);
    pass_agreement_find(&agreement, passes.controls, 3, 1);
    cr_expect(agreement.compared && !agreement.agree);
    cr_expect_float_eq(agreement.instructions_spread, 0.1, 0.01);
    arena_done(&bench.arena);
}

/* ---- counters that somebody else holds --------------------------------------------------------------------- */

struct taken {
    const char *what;
    unsigned counters, fixed;
    size_t given_up;
};

static const struct taken takers[] = {{"nobody", 0, 0, 0}, {"the watchdog", 0, 2, 1}, {"a profiler", 1, 0, 1}, {"both", 1, 2, 2}, {"two", 2, 0, 2}};

/* All eight counters are wanted, and the cycles' fixed one. */
static void wide_program(struct bench *bench)
{
    static const uint32_t all[] = {SCRIPTED_PLAIN, SCRIPTED_PLAIN + 1, SCRIPTED_PLAIN + 2, SCRIPTED_PLAIN + 3, SCRIPTED_PLAIN + 4,
                                   SCRIPTED_PLAIN + 5, SCRIPTED_PLAIN + 6, SCRIPTED_PLAIN + 8};
    bench_init(bench, &scripted_models[0], 3);
    for (size_t at = 0; at < array_count(all); at++) {
        bench->program.events[all[at]].counters = bench->program.rules[all[at]].counters = 0xff;
        bench->program.used[at][0] = all[at];
        bench->program.used[at][1] = SCRIPTED_CYCLES;
        bench->program.metrics[at] = (struct schedule_metric){.name = "one", .events = {bench->program.used[at], 2}};
    }
    bench->request.metric_count = array_count(all);
}

Test(scheduled_counting, a_group_that_never_runs_is_found_and_planned_again)
{
    for (size_t at = 0; at < array_count(takers); at++) {
        struct bench bench;
        struct counter_trial trial;
        struct error err = {0};
        wide_program(&bench);
        struct simulated_plan plan = scripted_plan(&bench.program);
        plan.taken = takers[at].counters;
        plan.taken_fixed = takers[at].fixed;
        plan.step_ns = MS;
        struct simulated_pmu *pmu = simulated_pmu_new(&plan);
        cr_assert(counter_trial_run(&trial, &bench.schedule, &bench.request, bench.program.specs, simulated_pmu_kernel(pmu),
                                    &bench.root, &bench.arena, &err), "%s", err.message);
        cr_expect_eq(trial.given_up_count, takers[at].given_up, "%s: %zu", takers[at].what, trial.given_up_count);
        cr_expect_eq(trial.never_ran, 0, "%s: %zu", takers[at].what, trial.never_ran);
        cr_expect_eq(bench.schedule.group_count, takers[at].given_up ? 2 : 1, "%s", takers[at].what);
        for (size_t metric = 0; metric < bench.request.metric_count; metric++)
            cr_expect_eq(bench.schedule.places[metric].fit, SCHEDULE_TOGETHER);
        cr_expect_eq(simulated_pmu_open_count(pmu), 0);
        simulated_pmu_free(pmu);
        arena_done(&bench.arena);
    }
}

Test(scheduled_counting, what_never_runs_at_all_is_not_measured)
{
    struct bench bench;
    struct counter_trial trial;
    struct error err = {0};
    wide_program(&bench);
    bench.program.rules[SCRIPTED_PLAIN].needs = SIMULATED_NEVER; /* accepted, and never counted */
    struct simulated_plan plan = scripted_plan(&bench.program);
    plan.step_ns = MS;
    struct simulated_pmu *pmu = simulated_pmu_new(&plan);
    cr_assert(counter_trial_run(&trial, &bench.schedule, &bench.request, bench.program.specs, simulated_pmu_kernel(pmu),
                                &bench.root, &bench.arena, &err), "%s", err.message);
    cr_expect_eq(trial.given_up_count, 4);
    cr_expect_eq(trial.never_ran, 1);
    simulated_pmu_free(pmu);
    bench_open(&bench, plan, bench.groups, bench.schedule.group_count, false);
    scheduled_counters_start(bench.set, SCHEDULED_ALL, 0);
    simulated_pmu_exec(bench.pmu, 100);
    simulated_pmu_run(bench.pmu, 1000 * MS);
    scheduled_counters_read(bench.set, SCHEDULED_ALL, 1000 * MS);
    size_t missing = 0;
    for (size_t metric = 0; metric < bench.request.metric_count; metric++) {
        struct metric_quality quality = bench_quality(&bench, metric, bench.schedule.places[metric].groups[0], 0, 0);
        missing += !quality.value.known;
        cr_expect_eq(quality.value.known, !scheduled_counters_never_ran(bench.set, bench.schedule.places[metric].groups[0]));
        if (!quality.value.known)
            cr_expect(quality.value.why_not && threshold_decide(&quality, 0.1, THRESHOLD_ABOVE) == DECISION_UNDECIDED);
    }
    cr_expect_gt(missing, 0);
    bench_close(&bench);
    arena_done(&bench.arena);
}
