/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/pages/pages.h"

#include "base/clock.h"
#include "base/scope.h"
#include "source/live/workload.h"
#include "system/activity/activity.h"


enum {
    PROCESSES_MOST = 64,
    FIRST_PAUSE_MS = 5,
    COST_SHARE = 25, /* looking takes 1/25 of a CPU at most */
};

static uint64_t resident_of(const struct pages_take *take)
{
    uint64_t bytes = 0;
    vec_for_each(&take->maps, map)
        for (size_t at = 0; at < map->pages.area_count; at++)
            bytes += map->pages.areas[at].resident_bytes;
    return bytes;
}

static struct pages_take take_now(const struct pages_take *like, const struct activity_watch *watch)
{
    struct pages_take take = {.context = like->context, .options = like->options};
    pid_t pids[PROCESSES_MOST];
    struct error ignored = {0};
    arena_init(&take.arena);
    size_t count = activity_processes(watch, pids, PROCESSES_MOST);
    for (size_t at = 0; at < count; at++)
        (void)page_map_take(&take, pids[at], &ignored);
    return take;
}

static void take_release(struct pages_take *take)
{
    vec_done(&take->maps);
    arena_done(&take->arena);
}

static void keep_larger(struct pages_take *kept, struct pages_take *newer, double at_s)
{
    if (!newer->maps.count || resident_of(newer) < resident_of(kept)) {
        take_release(newer);
        return;
    }
    take_release(kept);
    *kept = *newer;
    kept->seen_at_s = at_s;
}

static bool program_start(struct workload *workload, struct pages_take *take, char **argv, struct error *err)
{
    if (workload_start(workload, argv, err) && workload_release(workload, err))
        return true;
    take->context->exit_code = workload_exec_exit_code(err);
    workload_done(workload);
    return false;
}

bool pages_watch_program(struct pages_take *take, char **argv, FILE *file, struct error *err)
{
    struct workload workload;
    if (!program_start(&workload, take, argv, err))
        return false;
    bool watched = pages_watch(take, workload.pid, &workload, file, err);
    take->context->exit_code = workload_exit_code(&workload);
    workload_done(&workload);
    return watched;
}

bool pages_run_program(struct pages_take *take, char **argv, struct error *err)
{
    struct workload workload;
    if (!program_start(&workload, take, argv, err))
        return false;
    workload_forward_signals(&workload);
    struct activity_watch *watch = activity_watch_new(take->context->root, &workload.pid, 1, true, NULL);
    double began_s = clock_s(CLOCK_MONOTONIC), pause_s = FIRST_PAUSE_MS * 1e-3;
    while (!workload_wait(&workload, (int64_t)(pause_s * 1e9))) {
        double at_s = clock_s(CLOCK_MONOTONIC) - began_s, before_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
        activity_look(watch);
        struct pages_take newer = take_now(take, watch);
        keep_larger(take, &newer, at_s);
        double cost_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - before_s;
        pause_s = cost_s * COST_SHARE > FIRST_PAUSE_MS * 1e-3 ? cost_s * COST_SHARE : FIRST_PAUSE_MS * 1e-3;
    }
    workload_forward_signals(NULL);
    activity_watch_free(watch);
    take->context->exit_code = workload_exit_code(&workload);
    workload_done(&workload);
    if (take->maps.count)
        return true;
    error_set(err, ERROR_NOT_FOUND, "'%s' had ended before its memory could be looked at", argv[0]);
    return error_hint(err, "let it run for longer, or attach to it with -p");
}
