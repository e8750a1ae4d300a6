/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_live.h"

#include "analyse/probes/probe_results.h"
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_collect.h"
#include "system/host/process_list.h"

#include <stdlib.h>

static const double usual_seconds = 3;
enum {
    FREQUENCY = 2999
};

static const struct run_quantity speed_quantity = {"speed", "time of a piece of its work", RUN_SECONDS};

bool confirm_live_find(const struct case_command *command, const struct sysroot *root, pid_t *ret_pid,
                       struct error *err)
{
    struct process_entry entry;
    if (command->process_count != 1) {
        error_set(err, ERROR_UNSUPPORTED,
                  "the case watched %zu processes that ran already; experiments are made on one",
                  command->process_count);
        return error_hint(err, "plumb diagnose --case NEW -p PID, or -- COMMAND");
    }
    const struct case_process *process = &command->processes[0];
    if (!process_entry_read(&entry, process->pid, root))
        return error_set(err, ERROR_NOT_FOUND, "process %d, which the case watched, has ended", (int)process->pid) ||
               error_hint(err, "plumb diagnose --case NEW -p PID on one that runs");
    if (entry.start_ticks != process->start_ticks)
        return error_set(err, ERROR_NOT_FOUND, "process %d is another one than the case watched: that has ended",
                         (int)process->pid) ||
               error_hint(err, "plumb diagnose --case NEW -p %d for the one that has its number now",
                          (int)process->pid);
    *ret_pid = process->pid;
    return true;
}

/* Time is what speed is the inverse of: bounds change places. */
static struct interval inverse(struct interval speed)
{
    if (!speed.known || !(speed.low > 0))
        return (struct interval){0};
    return interval_of(1 / speed.high, 1 / speed.mid, 1 / speed.low);
}

static bool effect_read(const char *folder, enum probe_kind kind, struct probe_result *ret_result, struct arena *arena,
                        struct error *err)
{
    scoped_json struct json_document *document = NULL;
    struct probe_results results;
    if (!case_part_json(folder, "probes.json", &document, err) ||
        !probe_results_read(&results, json_root(document), arena, err))
        return false;
    *ret_result = results.of[kind];
    if (!ret_result->known)
        return error_set(err, ERROR_UNSUPPORTED, "not tested: %s",
                         ret_result->why_not ? ret_result->why_not : "the probe came to nothing");
    return true;
}

/* Watched anew, since the probe looks for its hot memory and for what recurs in it. */
static bool probe_run(const struct confirm_live_request *request, const char *folder, struct error *err)
{
    scoped_free char *pid = memory_printf("%d", (int)request->pid), *words = memory_printf("-p %s", pid);
    struct target_request target = {.processes = pid};
    struct collect_request collect = {.target = &target,
                                      .target_options = words,
                                      .duration_s = request->seconds > 0 ? request->seconds : usual_seconds,
                                      .frequency = FREQUENCY,
                                      .effect = request->foretold->effect,
                                      .probes = PROBE_BIT((unsigned)request->experiment->probe),
                                      .quiet = true};
    struct collect_result result = {0};
    return diagnose_collect(request->context, folder, &collect, &result, err);
}

bool confirm_live_run(struct confirm_live *live, const struct confirm_live_request *request, struct arena *arena,
                      struct error *err)
{
    scoped_free char *folder = NULL;
    struct probe_result result;
    double began_s = clock_s(CLOCK_MONOTONIC);
    if (!case_folder_temporary(&folder, err))
        return false;
    bool made = probe_run(request, folder, err) && effect_read(folder, request->experiment->probe, &result, arena, err);
    case_folder_remove(folder);
    if (!made)
        return false;
    *live = (struct confirm_live){.verdict = result.effect.verdict,
                                  .subject = result.effect.subject,
                                  .elapsed_s = clock_s(CLOCK_MONOTONIC) - began_s};
    live->comparison.ratio = inverse(result.effect.speed_up);
    live->comparison.noise_floor = inverse(result.effect.control);
    live->comparison.decisive.quantity = &speed_quantity;
    live->comparison.decisive.pair_count = COMPARISON_PAIRS_LEAST;
    live->comparison.decisive.why_not = live->comparison.ratio.known ? NULL : "its speed could not be measured";
    confirmation_judge(&live->confirmation, request->foretold, &live->comparison,
                       &(struct change_seen){.took_hold = true});
    live->confirmation.pairs_needed = 0; /* it was tried once */
    return true;
}
