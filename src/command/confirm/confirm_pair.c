/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_pair.h"

#include "base/clock.h"
#include "experiment/measuring_runner.h"
#include "experiment/work_runner.h"
#include "probe/calibration/clock.h"
#include "statistics/interval.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct running {
    const struct confirm_pair_request *request;
    struct confirm_pair *pair;
    bool shows_progress;
};

static void show_progress(void *context, const struct experiment_arm *arm, size_t block, bool is_warmup)
{
    const struct running *running = context;
    if (!running->shows_progress)
        return;
    FILE *talk = running->request->context->talk;
    if (is_warmup)
        fprintf(talk, "\r\033[K  warm-up: %s", arm->label);
    else
        compare_policy_progress(&running->pair->policy, talk, arm->label, block);
    fflush(talk);
}

/* ---- did the change take hold? ---- */

static struct measured median_of(const struct run_table *table, size_t arm, size_t quantity)
{
    double *values = memory_alloc(memory_product(table->block_count + 1, sizeof(*values)));
    size_t count = run_table_column(table, arm, quantity, values);
    const char *why = run_table_why_not(table, arm, quantity);
    struct measured median =
        count ? measured_as(quantile(values, count, 0.5)) : not_measured(why ? why : "no run was measured");
    free(values);
    return median;
}

/* How much of what shows the cause the change took away: of a share, of what could become more. */
static double extent_of(enum took_hold_sign sign, double a, double b)
{
    if (sign == SIGN_FALLS)
        return a > 0 ? 1 - b / a : 0;
    return a < 1 ? (b - a) / (1 - a) : 0;
}

/* Of each pair of runs, as the gain is. Unknown: the sign is no matter of degree. */
static struct interval extent_look(const struct confirm_experiment *experiment, const struct run_table *table,
                                   size_t quantity)
{
    const struct run_quantity *of = &table->quantities[quantity];
    if (experiment->sign != SIGN_FALLS && !(experiment->sign == SIGN_RISES && of->unit == RUN_SHARE))
        return (struct interval){0};
    double *a = memory_alloc(memory_product(table->block_count + 1, sizeof(*a)));
    double *b = memory_alloc(memory_product(table->block_count + 1, sizeof(*b)));
    size_t count = run_table_pairs(table, 0, 1, quantity, a, b);
    for (size_t at = 0; at < count; at++)
        a[at] = extent_of(experiment->sign, a[at], b[at]);
    struct interval extent = interval_clamped(median_interval(a, count), 0, 1);
    free(a);
    free(b);
    return extent;
}

static void sign_look(struct confirm_pair *pair, const struct confirm_experiment *experiment,
                      const struct run_table *table)
{
    size_t quantity = experiment->quantity ? run_table_quantity(table, experiment->quantity) : SIZE_MAX;
    pair->took_hold = experiment->sign == SIGN_BY_NATURE ? TOOK_HOLD : TOOK_HOLD_UNKNOWN;
    if (quantity == SIZE_MAX || !table->block_count)
        return;
    struct measured a = median_of(table, 0, quantity), b = median_of(table, 1, quantity);
    pair->sign_a = a;
    pair->sign_b = b;
    if (!a.known || !b.known)
        return;
    bool held = experiment->sign == SIGN_RISES ? b.value - a.value >= experiment->least
                                               : b.value <= a.value * experiment->least;
    pair->took_hold = held ? TOOK_HOLD : TOOK_HOLD_NOT;
    pair->extent = extent_look(experiment, table, quantity);
}

/* ---- the blocks ---- */

static void confirmation_make(struct confirmation *ret_confirmation, const struct confirm_pair *pair,
                              const struct confirm_pair_request *request, const struct comparison *comparison)
{
    if (request->hogs)
        confirmation_judge_slowdown(ret_confirmation, &request->share, &request->hogs->stream,
                                    request->foretold->effect, comparison);
    else
        confirmation_judge(
            ret_confirmation, request->foretold, comparison,
            &(struct change_seen){.took_hold = pair->took_hold == TOOK_HOLD, .extent = pair->extent});
}

/* A look has decided when the prediction is judged, not only when A and B differ. */
static bool is_judged(void *context, const struct comparison *comparison)
{
    const struct running *running = context;
    struct confirmation confirmation;
    confirmation_make(&confirmation, running->pair, running->request, comparison);
    return confirmation.verdict != CONFIRMATION_INCONCLUSIVE || confirmation.reason == CONFIRMATION_NO_LEAST ||
           confirmation.reason == CONFIRMATION_NOT_MADE;
}

/* One look at a short run may be an unlucky one: of quick runs some more tell; of long ones nobody waits for more. */
static bool is_without_hope(const struct running *running, const struct run_table *so_far)
{
    enum {
        BLOCKS_LEAST = 3
    };
    static const double quick_s = 1;
    double blocks = (double)(so_far->block_count + running->request->warmup);
    double a_block_s = (clock_s(CLOCK_MONOTONIC) - running->pair->policy.started_s) / blocks;
    return running->pair->took_hold == TOOK_HOLD_NOT &&
           (so_far->block_count >= BLOCKS_LEAST || a_block_s >= quick_s);
}

static bool wants_block(void *context, const struct run_table *so_far)
{
    struct running *running = context;
    struct experiment_policy policy = compare_policy_interface(&running->pair->policy);
    sign_look(running->pair, running->request->experiment, so_far);
    return !is_without_hope(running, so_far) && policy.wants_block(policy.context, so_far);
}

static bool blocks_run(struct running *running, struct experiment_runner runner, struct error *err)
{
    const struct confirm_pair_request *request = running->request;
    struct confirm_pair *pair = running->pair;
    struct experiment_arm arms[] = {request->a, request->b, request->a};
    arms[2].label = "A again";
    bool until_decided = !request->runs && !(request->seconds > 0);
    size_t by = request->work ? runner.quantity_count - 1 : request->by_cpu ? CHILD_CPU : CHILD_WALL;
    pair->policy = (struct compare_policy){.count = request->runs,
                                           .seconds = until_decided ? request->budget_s : request->seconds,
                                           .seconds_least = until_decided ? COMPARISON_PAIRS_LEAST : 0,
                                           .seconds_most = until_decided ? request->budget_most_s : 0,
                                           .until_decided = until_decided,
                                           .blocks_most = request->most,
                                           .arm_count = 2,
                                           .quantity = by,
                                           .again = request->no_noise_floor ? SIZE_MAX : 2,
                                           .effect_ratio = request->foretold->effect,
                                           .decides = is_judged,
                                           .decides_context = running};
    struct experiment_request blocks = {.arms = arms,
                                        .arm_count = request->no_noise_floor ? 2 : 3,
                                        .warmup_blocks = request->warmup,
                                        .seed = request->seed,
                                        .keep_failed = request->keep_failed,
                                        .runner = runner,
                                        .policy = {running, wants_block},
                                        .progress = show_progress,
                                        .progress_context = running,
                                        .root = request->context->root};
    compare_policy_begin(&pair->policy);
    bool ran = experiment_run_blocks(&blocks, &pair->result, err);
    pair->elapsed_s = clock_s(CLOCK_MONOTONIC) - pair->policy.started_s;
    if (running->shows_progress)
        fputs("\r\033[K", request->context->talk);
    return ran;
}

static void judge(struct confirm_pair *pair, const struct confirm_pair_request *request)
{
    const struct run_table *table = &pair->result.table;
    struct comparison_request asked = {.b = 1,
                                       .again = pair->policy.again,
                                       .quantity = pair->policy.quantity,
                                       .effect_ratio = request->foretold->effect,
                                       .alpha = compare_policy_alpha(&pair->policy, table),
                                       .effects_alpha = 0.05};
    comparison_make(&pair->comparison, table, &asked, &pair->arena);
    sign_look(pair, request->experiment, table);
    confirmation_make(&pair->confirmation, pair, request, &pair->comparison);
    if (pair->took_hold == TOOK_HOLD_NOT) {
        pair->confirmation.verdict = CONFIRMATION_INCONCLUSIVE;
        pair->confirmation.reason = CONFIRMATION_NOT_MADE;
        pair->confirmation.pairs_needed = 0;
    }
}

static struct experiment_runner runner_outermost(const struct confirm_pair_request *request,
                                                 struct experiment_runner inner)
{
    return request->hogs ? confirm_hogs_runner(request->hogs, inner) : inner;
}

bool confirm_pair_run(struct confirm_pair *pair, const struct confirm_pair_request *request, struct error *err)
{
    *pair = (struct confirm_pair){0};
    arena_init(&pair->arena);
    struct running running = {request, pair, !request->quiet && isatty(fileno(request->context->talk))};
    struct measuring_setup setup = {
        .kernel = request->context->kernel, .root = request->context->root, .clock_hertz = clock_measure};
    struct measuring_runner *measuring = measuring_runner_new(&setup);
    struct work_runner work = {
        .inner = measuring_runner_interface(measuring), .word = request->work, .by_cpu = request->by_cpu};
    bool ran =
        (!request->work || work_runner_init(&work, err)) &&
        blocks_run(&running, runner_outermost(request, request->work ? work_runner_interface(&work) : work.inner), err);
    if (pair->result.table.block_count)
        judge(pair, request);
    else if (ran)
        ran = experiment_interrupted_early(&pair->result, err);
    if (request->work)
        work_runner_done(&work);
    measuring_runner_free(measuring);
    return ran;
}

void confirm_pair_done(struct confirm_pair *pair)
{
    experiment_result_done(&pair->result);
    arena_done(&pair->arena);
}

const char *confirm_pair_stopped(const struct confirm_pair *pair)
{
    static const char *const words[] = {
        [STOP_NOT_YET] = "a run failed",
        [STOP_COUNT] = "as many as were asked for",
        [STOP_TIME] = "the time was up",
        [STOP_DECIDED] = "decided",
        [STOP_MOST] = "undecided after as many as --most allows",
    };
    if (pair->result.interrupted)
        return "interrupted";
    return pair->took_hold == TOOK_HOLD_NOT ? "the change did not take hold" : words[pair->policy.reason];
}
