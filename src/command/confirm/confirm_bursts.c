/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_bursts.h"

#include "analyse/probes/probe_results.h"
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_collect.h"
#include "source/live/workload.h"

#include <string.h>

enum {
    FREQUENCY = 499, /* samples aren't what it is for */
    INSTRUCTIONS_LEAST = 15000,
};

enum {
    RUNS_MOST = 100
};

static const double USUAL_SECONDS = 5;
static const double RUN_STRETCHED = 4; /* of several runs: one that takes so much longer now is cut short */
static const double COST_FACTOR = 2; /* a guess that is found wrong late costs more than one of ours in registers */

static const struct run_quantity share_quantity = {"wrong-guess-share", "CPU time that wrong guesses can take",
                                                   RUN_SHARE};

struct interval wrong_guess_share(struct interval wrong_per_1000, double cost_cycles, double issue_width)
{
    if (!wrong_per_1000.known || !(cost_cycles > 0) || !(issue_width > 0))
        return (struct interval){0};
    double mid = wrong_per_1000.mid / 1000 * cost_cycles, high = wrong_per_1000.high / 1000 * cost_cycles * COST_FACTOR;
    return interval_of(0, mid / (mid + 1 / issue_width), high / (high + 1 / issue_width));
}

uint64_t confirm_bursts_runs(struct measured run_s, double seconds)
{
    if (!run_s.known || !(run_s.value > 0))
        return 1;
    double runs = (seconds > 0 ? seconds : USUAL_SECONDS) / run_s.value;
    return runs < 1 ? 1 : runs > RUNS_MOST ? RUNS_MOST : (uint64_t)runs;
}

/* What it prints goes nowhere: our output is the result. */
static char *const *argv_quiet(char *const *argv, struct arena *arena)
{
    static const char *const start[] = {"sh", "-c", "exec \"$@\" </dev/null >/dev/null", "sh"};
    size_t count = 0, words = sizeof(start) / sizeof(start[0]);
    while (argv[count])
        count++;
    char **all = arena_array(arena, char *, count + words + 1);
    for (size_t at = 0; at < words; at++)
        all[at] = (char *)start[at];
    for (size_t at = 0; at <= count; at++)
        all[words + at] = argv[at];
    return all;
}

static bool collect(const struct confirm_bursts_request *request, const char *folder, struct arena *arena,
                    struct error *err)
{
    const char *pid = arena_printf(arena, "%d", (int)request->pid);
    double seconds = request->seconds > 0 ? request->seconds : USUAL_SECONDS;
    uint64_t runs = request->argv ? confirm_bursts_runs(request->run_s, seconds) : 0;
    double run_most_s = runs > 1 ? RUN_STRETCHED * request->run_s.value : seconds;
    struct target_request target = {.processes = pid};
    struct collect_request asked = {.argv = request->argv ? argv_quiet(request->argv, arena) : NULL,
                                    .target = &target,
                                    .target_options = request->argv ? NULL : arena_printf(arena, "-p %s", pid),
                                    .runs = runs,
                                    .duration_s = run_most_s < seconds ? run_most_s : seconds,
                                    .frequency = FREQUENCY,
                                    .effect = 0.05,
                                    .probes = PROBE_BIT(PROBE_STEP),
                                    .quiet = true};
    struct collect_result result = {0};
    return diagnose_collect(request->context, folder, &asked, &result, err);
}

/* The user's interrupt leaves too little to judge by: what there is is said. */
static void leave_open(struct confirm_bursts *bursts, const struct interval *claimed, const char *why,
                       const char *found)
{
    bursts->confirmation = (struct confirmation){.verdict = CONFIRMATION_INCONCLUSIVE,
                                                 .reason = CONFIRMATION_NO_RATIO,
                                                 .measure = CONFIRMATION_SHARE,
                                                 .foretold = *claimed,
                                                 .noise_ratio = not_measured("nothing was run twice")};
    bursts->comparison.decisive.quantity = &share_quantity;
    bursts->comparison.decisive.why_not = why;
    bursts->found = found;
}

static const char *met_words(const struct trace_summary *trace, struct arena *arena)
{
    const char *met = arena_printf(arena, "%llu instructions in %llu bursts", (unsigned long long)trace->instructions,
                                   (unsigned long long)trace->bursts);
    struct interval rate = trace->all.per_1000;
    return rate.known ? arena_printf(arena, "%.2g to %.2g wrong guesses per 1000 instructions, in %s", rate.low,
                                     rate.high, met)
                      : met;
}

bool confirm_bursts_judge(struct confirm_bursts *bursts, const struct confirm_bursts_look *look, struct arena *arena,
                          struct error *err)
{
    const struct trace_summary *trace = &look->step->step.trace;
    if (!look->step->known) {
        const char *why = look->step->why_not ? look->step->why_not : "no burst was taken";
        if (!look->is_interrupted)
            return error_set(err, ERROR_UNSUPPORTED, "not tested: %s", why);
        leave_open(bursts, &look->claimed, arena_printf(arena, "it was interrupted before a burst was taken (%s)", why),
                   "interrupted");
        return true;
    }
    const char *met = met_words(trace, arena);
    if (trace->instructions < INSTRUCTIONS_LEAST || !trace->all.per_1000.known) {
        if (!look->is_interrupted)
            return error_set(err, ERROR_UNSUPPORTED,
                             "not tested: %llu instructions were met in %llu burst%s, and it takes %d; --time 30 looks "
                             "for longer",
                             (unsigned long long)trace->instructions, (unsigned long long)trace->bursts,
                             trace->bursts == 1 ? "" : "s", INSTRUCTIONS_LEAST);
        leave_open(bursts, &look->claimed,
                   arena_printf(arena, "it was interrupted, and it takes %d instructions", INSTRUCTIONS_LEAST),
                   arena_printf(arena, "interrupted: %s", met));
        return true;
    }
    struct interval found = wrong_guess_share(trace->all.per_1000, look->cost_cycles, look->issue_width);
    if (!found.known)
        return error_set(err, ERROR_UNSUPPORTED, "not tested: what a wrong guess costs here could not be measured");
    confirmation_judge_share(&bursts->confirmation, &look->claimed, &found);
    bursts->comparison.decisive.quantity = &share_quantity;
    bursts->comparison.ratio = interval_of(1 - found.high, 1 - found.mid, 1 - found.low);
    bursts->found = arena_printf(arena, "%s%s; one costs up to %.0f cycles here",
                                 look->is_interrupted ? "interrupted: " : "", met, look->cost_cycles * COST_FACTOR);
    return true;
}

static double figure_high(const struct ceilings *ceilings, enum calibration_figure figure)
{
    struct interval value = ceilings_figure(ceilings, figure);
    return value.known ? value.high : 0;
}

bool confirm_bursts_run(struct confirm_bursts *bursts, const struct confirm_bursts_request *request,
                        struct arena *arena, struct error *err)
{
    scoped_free char *folder = NULL;
    struct loaded_case loaded;
    double began_s = clock_s(CLOCK_MONOTONIC);
    *bursts = (struct confirm_bursts){0};
    if (!case_folder_temporary(&folder, err))
        return false;
    bool made = collect(request, folder, arena, err);
    if (made && (made = loaded_case_read(&loaded, folder, err))) {
        const struct confirm_bursts_look look = {.step = &loaded.probes.of[PROBE_STEP],
                                                 .claimed = request->claimed,
                                                 .cost_cycles = figure_high(&loaded.ceilings, CALIBRATION_BRANCH_MISS),
                                                 .issue_width = figure_high(&loaded.ceilings, CALIBRATION_ISSUE),
                                                 .is_interrupted = workload_stop_requested()};
        made = confirm_bursts_judge(bursts, &look, arena, err);
        loaded_case_done(&loaded);
    }
    case_folder_remove(folder);
    bursts->elapsed_s = clock_s(CLOCK_MONOTONIC) - began_s;
    return made;
}
