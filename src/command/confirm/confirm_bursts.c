/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_bursts.h"

#include "analyse/probes/probe_results.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_collect.h"

#include <string.h>
#include <time.h>

enum {
    FREQUENCY = 499, /* samples aren't what it is for */
    INSTRUCTIONS_LEAST = 15000,
};

static const double USUAL_SECONDS = 5;
static const double COST_FACTOR = 2; /* a guess that is found wrong late costs more than one of ours in registers */

static const struct run_quantity share_quantity = {"wrong-guess-share", "CPU time that wrong guesses can take", RUN_SHARE};

struct interval wrong_guess_share(struct interval wrong_per_1000, double cost_cycles, double issue_width)
{
    if (!wrong_per_1000.known || !(cost_cycles > 0) || !(issue_width > 0))
        return (struct interval){0};
    double mid = wrong_per_1000.mid / 1000 * cost_cycles, high = wrong_per_1000.high / 1000 * cost_cycles * COST_FACTOR;
    return interval_of(0, mid / (mid + 1 / issue_width), high / (high + 1 / issue_width));
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

static bool collect(const struct confirm_bursts_request *request, const char *folder, struct arena *arena, struct error *err)
{
    const char *pid = arena_printf(arena, "%d", (int)request->pid);
    struct target_request target = {.processes = pid};
    struct collect_request asked = {.argv = request->argv ? argv_quiet(request->argv, arena) : NULL,
                                    .target = &target,
                                    .target_options = request->argv ? NULL : arena_printf(arena, "-p %s", pid),
                                    .duration_s = request->seconds > 0 ? request->seconds : USUAL_SECONDS,
                                    .frequency = FREQUENCY,
                                    .effect = 0.05,
                                    .probes = PROBE_BIT(PROBE_STEP),
                                    .quiet = true};
    struct collect_result result = {0};
    return diagnose_collect(request->context, folder, &asked, &result, err);
}

static double figure_high(const struct ceilings *ceilings, enum calibration_figure figure)
{
    struct interval value = ceilings_figure(ceilings, figure);
    return value.known ? value.high : 0;
}

static bool look(struct confirm_bursts *bursts, const struct confirm_bursts_request *request, const struct loaded_case *loaded,
                 struct arena *arena, struct error *err)
{
    const struct probe_result *step = &loaded->probes.of[PROBE_STEP];
    if (!step->known)
        return error_set(err, ERROR_UNSUPPORTED, "not tested: %s", step->why_not ? step->why_not : "no burst was taken");
    const struct trace_summary *trace = &step->step.trace;
    if (trace->instructions < INSTRUCTIONS_LEAST || !trace->all.per_1000.known)
        return error_set(err, ERROR_UNSUPPORTED, "not tested: %llu instructions were met in %llu bursts, and it takes %d",
                         (unsigned long long)trace->instructions, (unsigned long long)trace->bursts, INSTRUCTIONS_LEAST) ||
               error_hint(err, "a longer look: --time 30");
    double cost = figure_high(&loaded->ceilings, CALIBRATION_BRANCH_MISS), width = figure_high(&loaded->ceilings, CALIBRATION_ISSUE);
    struct interval found = wrong_guess_share(trace->all.per_1000, cost, width);
    if (!found.known)
        return error_set(err, ERROR_UNSUPPORTED, "not tested: what a wrong guess costs here could not be measured");
    confirmation_judge_share(&bursts->confirmation, &request->claimed, &found);
    bursts->comparison.decisive.quantity = &share_quantity;
    bursts->comparison.ratio = interval_of(1 - found.high, 1 - found.mid, 1 - found.low);
    bursts->found = arena_printf(arena,
                                 "%.2g to %.2g wrong guesses per 1000 instructions, in %llu instructions of %llu bursts; one costs up to "
                                 "%.0f cycles here",
                                 trace->all.per_1000.low, trace->all.per_1000.high, (unsigned long long)trace->instructions,
                                 (unsigned long long)trace->bursts, cost * COST_FACTOR);
    return true;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool confirm_bursts_run(struct confirm_bursts *bursts, const struct confirm_bursts_request *request, struct arena *arena,
                        struct error *err)
{
    scoped_free char *folder = NULL;
    struct loaded_case loaded;
    double began_s = now_s();
    *bursts = (struct confirm_bursts){0};
    if (!case_folder_temporary(&folder, err))
        return false;
    bool made = collect(request, folder, arena, err);
    if (made && (made = loaded_case_read(&loaded, folder, err))) {
        made = look(bursts, request, &loaded, arena, err);
        loaded_case_done(&loaded);
    }
    case_folder_remove(folder);
    bursts->elapsed_s = now_s() - began_s;
    return made;
}
