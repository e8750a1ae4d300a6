/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/live/workload.h"

const struct run_quantity child_quantities[CHILD_QUANTITY_COUNT] = {CHILD_QUANTITIES};

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void child_cells(const struct workload *workload, struct measured *ret_cells)
{
    const struct rusage *usage = &workload->usage;
    double user_s = seconds(usage->ru_utime), system_s = seconds(usage->ru_stime);
    const double values[CHILD_QUANTITY_COUNT] = {
        [CHILD_WALL] = (double)(workload->ended_ns - workload->started_ns) / 1e9,
        [CHILD_CPU] = user_s + system_s,
        [CHILD_USER] = user_s,
        [CHILD_SYSTEM] = system_s,
        [CHILD_RSS_MOST] = (double)usage->ru_maxrss * 1024,
        [CHILD_MINOR_FAULTS] = (double)usage->ru_minflt,
        [CHILD_MAJOR_FAULTS] = (double)usage->ru_majflt,
        [CHILD_VOLUNTARY_SWITCHES] = (double)usage->ru_nvcsw,
        [CHILD_INVOLUNTARY_SWITCHES] = (double)usage->ru_nivcsw,
    };
    for (size_t at = 0; at < CHILD_QUANTITY_COUNT; at++)
        ret_cells[at] = measured_as(values[at]);
}

struct workload_surroundings arm_surroundings(const struct experiment_arm *arm)
{
    return (struct workload_surroundings){.environment = arm->environment,
                                          .streams_null = true,
                                          .prepare = arm->settings ? run_settings_apply : NULL,
                                          .prepare_context = arm->settings};
}

bool prepare_run(const char *line, struct error *err)
{
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)line, NULL};
    struct workload_surroundings quiet = {.streams_null = true};
    scoped(workload_done) struct workload workload;
    if (!workload_start_in(&workload, argv, &quiet, err) || !workload_release(&workload, err))
        return false;
    workload_wait(&workload, -1);
    int status = workload_exit_code(&workload);
    return status == 0 || error_set(err, ERROR_SYSTEM, "'%s' (--prepare) ended with status %d", line, status);
}

static bool plain_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                      int *ret_exit_code, struct error *err)
{
    (void)context, (void)block;
    struct workload_surroundings surroundings = arm_surroundings(arm);
    scoped(workload_done) struct workload workload;
    if (!workload_start_in(&workload, arm->argv, &surroundings, err))
        return false;
    workload_forward_signals(&workload);
    bool released = workload_release(&workload, err);
    if (released) {
        workload_wait(&workload, -1);
        child_cells(&workload, ret_cells);
        *ret_exit_code = workload_exit_code(&workload);
    }
    workload_forward_signals(NULL);
    return released;
}

struct experiment_runner experiment_runner_plain(void)
{
    return (struct experiment_runner){
        .quantities = child_quantities, .quantity_count = CHILD_QUANTITY_COUNT, .run = plain_run};
}
