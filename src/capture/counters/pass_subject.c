/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/pass_subject.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/scope.h"
#include "source/live/workload.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pass_subject_live {
    struct pass_subject_request request;
    struct workload workload;
    bool has_workload;
    struct target target;
    uint64_t until_ns; /* of a watch */
};

static uint64_t clock_now_ns(void *context)
{
    (void)context;
    return clock_ns(CLOCK_MONOTONIC);
}

static bool subject_start(void *context, struct target *ret_target, struct arena *arena, struct error *err)
{
    struct pass_subject_live *live = context;
    const struct workload_surroundings surroundings = {.streams_null = live->request.silent};
    if (live->request.target && !target_resolve(ret_target, live->request.target, live->request.root, arena, err))
        return false;
    if (live->request.argv) {
        if (!workload_start_in(&live->workload, live->request.argv, &surroundings, err))
            return false;
        live->has_workload = true;
    }
    if (!live->request.target)
        target_of_workload(ret_target, live->workload.pid, arena);
    live->target = *ret_target;
    workload_forward_signals(live->has_workload ? &live->workload : NULL);
    return true;
}

static bool subject_release(void *context, struct error *err)
{
    struct pass_subject_live *live = context;
    live->until_ns = clock_now_ns(NULL) + live->request.duration_ns;
    return !live->has_workload || workload_release(&live->workload, err);
}

/* One that has ended stays, as a zombie, until its parent looks; a first thread does until the others have ended. */
static bool thread_lives(const struct sysroot *root, pid_t pid, pid_t tid)
{
    char line[400];
    if (!sysroot_line(root, line, sizeof(line), "/proc/%d/task/%d/stat", (int)pid, (int)tid))
        return false;
    const char *state = strrchr(line, ')');
    return state && state[1] && !strchr("ZXx", state[2]);
}

static bool process_lives(const struct sysroot *root, pid_t pid)
{
    scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", (int)pid);
    uint64_t tid;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (view_u64(view_of(entry->d_name), 10, &tid) && thread_lives(root, pid, (pid_t)tid))
            return true;
    return false;
}

/* Whether one of the watched threads, or another of their processes, is still there. */
static bool target_lives(const struct target *target, const struct sysroot *root)
{
    bool listed = target->kind == TARGET_PROCESSES || target->kind == TARGET_THREADS;
    pid_t before = 0;
    for (size_t at = 0; listed && at < target->thread_count; at++) {
        const struct target_thread *thread = &target->threads[at];
        bool lives = target->kind == TARGET_THREADS ? thread_lives(root, thread->pid, thread->tid)
                                                    : thread->pid != before && process_lives(root, thread->pid);
        before = thread->pid;
        if (lives)
            return true;
    }
    return !listed;
}

static bool subject_wait(void *context, uint64_t most_ns)
{
    struct pass_subject_live *live = context;
    if (live->has_workload)
        return workload_wait(&live->workload, (int64_t)most_ns);
    uint64_t now = clock_now_ns(NULL);
    uint64_t until = now + most_ns < live->until_ns ? now + most_ns : live->until_ns;
    for (; now < until && !workload_stop_requested(); now = clock_now_ns(NULL)) {
        uint64_t left = until - now;
        struct timespec pause = {.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
        nanosleep(&pause, NULL);
    }
    return now >= live->until_ns || workload_stop_requested() || !target_lives(&live->target, live->request.root);
}

static int subject_finish(void *context)
{
    struct pass_subject_live *live = context;
    int exit_code = 0;
    if (live->has_workload) {
        exit_code = live->workload.reaped ? workload_exit_code(&live->workload) : 0;
        workload_forward_signals(NULL);
        workload_done(&live->workload);
    }
    if (live->request.target)
        target_done(&live->target);
    live->has_workload = false;
    live->target = (struct target){.cgroup_fd = -1};
    return exit_code;
}

struct pass_subject_live *pass_subject_live_new(const struct pass_subject_request *request)
{
    struct pass_subject_live *live = memory_alloc(sizeof(*live));
    *live = (struct pass_subject_live){.request = *request, .target = {.cgroup_fd = -1}};
    return live;
}

void pass_subject_live_free(struct pass_subject_live *live)
{
    free(live);
}

struct pass_subject pass_subject_live_interface(struct pass_subject_live *live)
{
    return (struct pass_subject){.context = live,
                                 .start = subject_start,
                                 .release = subject_release,
                                 .wait = subject_wait,
                                 .now_ns = clock_now_ns,
                                 .finish = subject_finish};
}

void pass_subject_live_silence(struct pass_subject_live *live, bool silent)
{
    live->request.silent = silent;
}

void pass_subject_live_lasts(struct pass_subject_live *live, uint64_t duration_ns)
{
    live->request.duration_ns = duration_ns;
}
