/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

#include "base/scope.h"
#include "source/live/workload.h"

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void keep_usage(struct experiment_run *run, const struct workload *workload)
{
    const struct rusage *usage = &workload->usage;
    run->wall_s = (double)(workload->ended_ns - workload->started_ns) / 1e9;
    run->user_s = seconds(usage->ru_utime);
    run->system_s = seconds(usage->ru_stime);
    run->rss_most_bytes = (uint64_t)usage->ru_maxrss * 1024;
    run->minor_faults = (uint64_t)usage->ru_minflt;
    run->major_faults = (uint64_t)usage->ru_majflt;
    run->voluntary_switches = (uint64_t)usage->ru_nvcsw;
    run->involuntary_switches = (uint64_t)usage->ru_nivcsw;
    run->exit_code = workload_exit_code(workload);
}

static bool plain_run(void *context, const struct experiment_arm *arm, struct experiment_run *ret_run,
                      struct error *err)
{
    (void)context;
    struct workload_surroundings surroundings = {.environment = arm->environment, .streams_null = true};
    scoped(workload_done) struct workload workload;
    if (!workload_start_in(&workload, arm->argv, &surroundings, err))
        return false;
    workload_forward_signals(&workload);
    bool released = workload_release(&workload, err);
    if (released) {
        workload_wait(&workload, -1);
        keep_usage(ret_run, &workload);
    }
    workload_forward_signals(NULL);
    return released;
}

struct experiment_runner experiment_runner_plain(void)
{
    return (struct experiment_runner){.run = plain_run};
}
