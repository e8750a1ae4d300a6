/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/scope.h"
#include "system/activity/watch.h"
#include "system/host/pid_namespace.h"

#include <time.h>
#include <unistd.h>

bool watch_read(const struct activity_watch *watch, struct text *out, const char *format, int pid, int tid)
{
    char path[96];
    snprintf(path, sizeof(path), format, pid, tid);
    text_clear(out);
    struct error ignored;
    return sysroot_read(watch->root, out, &ignored, "%s", path);
}

struct watched_process *watch_process_find(struct activity_watch *watch, pid_t pid)
{
    vec_for_each(&watch->processes, process)
        if (process->pid == pid)
            return process;
    return NULL;
}

void watch_process_add(struct activity_watch *watch, pid_t pid, bool began_before)
{
    struct watched_process *process = watch_process_find(watch, pid);
    if (process) {
        process->alive = true;
        return;
    }
    *vec_push(&watch->processes) =
        (struct watched_process){.pid = pid, .alive = true, .began_before = began_before,
                                 .given_orphans = pid_innermost(watch->root, (uint32_t)pid) == 1};
}

void activity_watch_add(struct activity_watch *watch, pid_t pid)
{
    watch_process_add(watch, pid, false);
}

void activity_watch_held(struct activity_watch *watch, pid_t pid, double delay_s)
{
    struct watched_process *process = watch_process_find(watch, pid);
    if (!process || !watch->started)
        return;
    process->held_delay_s = delay_s;
    vec_for_each(&watch->threads, thread)
        if (thread->pid == (uint32_t)pid && thread->tid == (uint32_t)pid)
            thread->first.delay_s = delay_s;
}

void activity_look(struct activity_watch *watch)
{
    scoped_text struct text scratch = {0};
    vec_for_each(&watch->threads, thread)
        thread->alive = false;
    watch->is_ready = false;
    watch->live_now = watch->stopped_now = watch->blocked_now = 0;
    if (watch->processes.count)
        watch_family_look(watch, &scratch);
    uint32_t threads = 0;
    for (size_t at = 0; at < watch->processes.count; at++)
        if (watch->processes.items[at].alive) {
            threads += watch_process_look(watch, &watch->processes.items[at], &scratch);
        }
    if (threads > watch->threads_at_once)
        watch->threads_at_once = threads;
    watch_machine_look(watch, &scratch);
    watch_cgroup_look(watch);
    watch->last_s = clock_s(CLOCK_MONOTONIC);
    /* The first look may find a program of ours that is still held before its exec. */
    watch->ready_looks += watch->look_count && watch->is_ready;
    watch->blocked_looks += watch->look_count && watch->blocked_now;
    watch->stopped_looks += watch->look_count && watch->live_now && watch->stopped_now == watch->live_now;
    watch->look_count++;
}

void activity_look_ended(struct activity_watch *watch, pid_t pid)
{
    scoped_text struct text scratch = {0};
    struct watched_process *process = watch_process_find(watch, pid);
    if (!process)
        return;
    (void)watch_process_look(watch, process, &scratch);
}

struct activity_watch *activity_watch_new(const struct sysroot *root, const pid_t *pids, size_t count, bool started,
                                          const char *cgroup)
{
    struct activity_watch *watch = memory_alloc(sizeof(*watch));
    *watch = (struct activity_watch){.root = root, .started = started};
    long ticks = sysconf(_SC_CLK_TCK);
    watch->tick_s = ticks > 0 ? 1.0 / (double)ticks : 0.01;
    struct timespec since_boot;
    if (clock_gettime(CLOCK_BOOTTIME, &since_boot) == 0)
        watch->began_ticks =
            (uint64_t)(((double)since_boot.tv_sec + (double)since_boot.tv_nsec * 1e-9) / watch->tick_s);
    for (size_t at = 0; at < count; at++)
        watch_process_add(watch, pids[at], true);
    if (cgroup)
        cgroup_cpu_read_path(&watch->cgroup_first, root, cgroup);
    else if (count)
        cgroup_cpu_read(&watch->cgroup_first, root, pids[0]);
    watch->has_cgroup = (cgroup || count) && watch->cgroup_first.path.known;
    watch->cgroup_last = watch->cgroup_first;
    watch->cgroup_is_given = cgroup != NULL;
    watch->began_s = clock_s(CLOCK_MONOTONIC);
    activity_look(watch);
    return watch;
}

void activity_watch_free(struct activity_watch *watch)
{
    if (!watch)
        return;
    vec_done(&watch->processes);
    vec_done(&watch->threads);
    vec_done(&watch->children);
    vec_done(&watch->files);
    vec_done(&watch->listed);
    vec_done(&watch->listed_before);
    vec_done(&watch->interrupts_first);
    vec_done(&watch->interrupts_last);
    vec_done(&watch->cpus_first);
    vec_done(&watch->cpus_last);
    hashmap_done(&watch->thread_by_tid);
    free(watch);
}
