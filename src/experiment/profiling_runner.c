/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/profiling_runner.h"

#include "base/scope.h"
#include "source/live/workload.h"
#include "source/recorder/recorder.h"

enum {
    POLL_MS = 100
};

char *profiling_runner_path(const struct profiling_setup *setup, size_t block, const char *label)
{
    return memory_printf("%s/%zu-%s.data", setup->folder, block, label);
}

static bool record_run(const struct profiling_setup *setup, struct workload *workload, const char *path,
                       char *const *argv, struct error *err)
{
    struct event_list events = {0};
    struct arena arena;
    struct target target = {.cgroup_fd = -1};
    struct recorder *recorder = NULL;
    struct recorder_result result;
    arena_init(&arena);
    target_of_workload(&target, workload->pid, &arena);
    bool good = event_list_parse(&events, "cpu-clock", setup->root, &arena, err);
    if (good) {
        struct recorder_event event = recorder_event_of(&events.items[0]);
        event.frequency = setup->frequency;
        struct recorder_request request = {.events = &event,
                                           .event_count = 1,
                                           .target = &target,
                                           .output = path,
                                           .pipe_fd = -1,
                                           .command_line = argv,
                                           .clock_id = RECORDER_NO_CLOCK,
                                           .keep_code = true,
                                           .wake_fd = workload->pid_fd};
        good = recorder_open(&recorder, &request, setup->kernel, setup->root, err);
    }
    good = good && workload_release(workload, err);
    bool released = good;
    while (good && !workload_wait(workload, 0))
        good = recorder_poll(recorder, POLL_MS, err);
    if (released && !good)
        workload_wait(workload, -1); /* the disk is full, say: it must not run on beside the next one */
    if (recorder)
        good = recorder_finish(recorder, &result, err) && good;
    recorder_free(recorder);
    event_list_done(&events);
    arena_done(&arena);
    return good;
}

static bool profile_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                        int *ret_exit_code, struct error *err)
{
    const struct profiling_setup *setup = context;
    struct workload_surroundings surroundings = arm_surroundings(arm);
    if (setup->prepare && !prepare_run(setup->prepare, err))
        return false;
    scoped(workload_done) struct workload workload;
    if (!workload_start_in(&workload, arm->argv, &surroundings, err))
        return false;
    scoped_free char *path = profiling_runner_path(setup, block, arm->label);
    workload_forward_signals(&workload);
    bool recorded = record_run(setup, &workload, path, arm->argv, err);
    if (recorded) {
        child_cells(&workload, ret_cells);
        *ret_exit_code = workload_exit_code(&workload);
    }
    workload_forward_signals(NULL);
    return recorded;
}

struct experiment_runner profiling_runner_interface(const struct profiling_setup *setup)
{
    return (struct experiment_runner){.context = (void *)setup,
                                      .quantities = child_quantities,
                                      .quantity_count = CHILD_QUANTITY_COUNT,
                                      .run = profile_run};
}
