/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "base/scope.h"
#include "command/diagnose/diagnose_collection.h"
#include "command/diagnose/diagnose_intervention.h"
#include "source/live/target.h"
#include "system/host/cgroup_cpu.h"
#include "system/host/process_list.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>

enum {
    PROCESSES_MOST = 8, /* whose page maps are taken at a time */
    PAGES_MOST = 64,    /* processes whose page maps are kept */
    LOOKS_SHARE = 50,   /* looks at /proc, and page maps, may take 1/50 of the time each */
    LOOKS_SHARE_SPARING = 200,
    CGROUP_MOST = 4096, /* processes of a cgroup */
};

static double looks_share(const struct collection *collection)
{
    return collection->request->sparing ? LOOKS_SHARE_SPARING : LOOKS_SHARE;
}

/* ---- whose page maps ---- */

static void pages_keep(struct collection *collection, const struct process_pages *pages)
{
    uint64_t resident = 0;
    for (size_t at = 0; at < pages->area_count; at++)
        resident += pages->areas[at].resident_bytes;
    vec_for_each(&collection->pages, kept) {
        if (kept->pages.pid != pages->pid)
            continue;
        /* A program that gives memory back at its end must not hide what it worked on. */
        if (resident * 2 >= kept->resident_bytes)
            *kept = (struct kept_pages){*pages, resident};
        return;
    }
    if (collection->pages.count < PAGES_MOST)
        *vec_push(&collection->pages) = (struct kept_pages){*pages, resident};
}

static struct busy_process *busy_find(struct collection *collection, const struct process_entry *entry)
{
    vec_for_each(&collection->busy, busy)
        if (busy->pid == entry->pid && busy->start_ticks == entry->start_ticks)
            return busy;
    struct busy_process *busy = vec_push(&collection->busy);
    *busy =
        (struct busy_process){.pid = entry->pid, .start_ticks = entry->start_ticks, .first_ticks = entry->cpu_ticks};
    return busy;
}

static int busy_compare(const void *a, const void *b)
{
    const struct busy_process *left = a, *right = b;
    uint64_t l = left->last_ticks - left->first_ticks, r = right->last_ticks - right->first_ticks;
    return (l < r) - (l > r);
}

/* Of the whole machine: those that used most CPU time since watching began. */
static size_t busiest_processes(struct collection *collection, pid_t *ret_pids)
{
    struct process_list list = {0};
    process_list_read(&list, collection->context->root);
    for (size_t at = 0; at < list.count; at++)
        busy_find(collection, &list.items[at])->last_ticks = list.items[at].cpu_ticks;
    process_list_done(&list);
    if (collection->busy.count)
        qsort(collection->busy.items, collection->busy.count, sizeof(*collection->busy.items), busy_compare);
    size_t count = 0;
    vec_for_each(&collection->busy, busy)
        if (count < PROCESSES_MOST && busy->last_ticks > busy->first_ticks)
            ret_pids[count++] = busy->pid;
    return count;
}

static void pages_look(struct collection *collection)
{
    double before_s = clock_s(CLOCK_MONOTONIC);
    pid_t pids[PROCESSES_MOST];
    size_t count = collection->target.kind == TARGET_CPUS
                       ? busiest_processes(collection, pids)
                       : activity_processes(collection->watch, pids, PROCESSES_MOST);
    for (size_t at = 0; at < count; at++) {
        struct process_pages pages;
        struct error ignored;
        if (process_pages_read(collection->context->root, collection->context->kernel, pids[at], &pages,
                               &collection->arena, &ignored))
            pages_keep(collection, &pages);
    }
    double now_s = clock_s(CLOCK_MONOTONIC), elapsed_s = now_s - collection->began_s;
    double pause = (now_s - before_s) * looks_share(collection);
    pause = pause > elapsed_s * 0.5 ? pause : elapsed_s * 0.5;
    collection->next_pages_s = now_s + (pause > 0.02 ? pause : 0.02);
}

/* ---- /proc ---- */

static size_t cgroup_pids(const struct collection *collection, pid_t *ret_pids)
{
    return collection->target.kind == TARGET_CGROUP
               ? process_list_of_cgroup(collection->target.cgroup_fd, ret_pids, CGROUP_MOST)
               : 0;
}

/* Processes come to a cgroup from anywhere: it is asked again at each look. */
static void activity_due(struct collection *collection)
{
    double now_s = clock_s(CLOCK_MONOTONIC);
    if (now_s < collection->next_look_s)
        return;
    scoped_free pid_t *pids = memory_alloc(CGROUP_MOST * sizeof(*pids));
    size_t count = cgroup_pids(collection, pids);
    for (size_t at = 0; at < count; at++)
        activity_watch_add(collection->watch, pids[at]);
    activity_look(collection->watch);
    double pause_s = (clock_s(CLOCK_MONOTONIC) - now_s) * looks_share(collection);
    double elapsed_s = now_s - collection->began_s;
    double step_s = elapsed_s < 0.5 ? 0.05 : elapsed_s < 5 ? 0.1 : 0.25;
    collection->next_look_s = clock_s(CLOCK_MONOTONIC) + (pause_s > step_s ? pause_s : step_s);
}

void watch_look(struct collection *collection)
{
    activity_due(collection);
    if (clock_s(CLOCK_MONOTONIC) >= collection->next_pages_s)
        pages_look(collection);
    ceilings_look(collection);
    interventions_look(collection);
}

void watch_look_ended(struct collection *collection)
{
    struct pollfd ended = {.fd = collection->workload.pid_fd, .events = POLLIN};
    if (ended.fd >= 0 && poll(&ended, 1, 0) == 1)
        activity_look_ended(collection->watch, collection->workload.pid);
}

/*
 * The cgroup's path as the CPU controller knows it, or NULL: where perf_event and cpu are different hierarchies
 * (version 1 beside version 2), a path of one means nothing in the other, and the first member tells its own.
 */
static const char *cpu_cgroup(struct collection *collection)
{
    char mount[PATH_MAX];
    struct cgroup_cpu cpu;
    const char *path = collection->target.cgroup_path;
    if (!path || !cgroup_mount_find(collection->context->root, mount, sizeof(mount)))
        return NULL;
    size_t length = strlen(mount);
    if (strncmp(path, mount, length) == 0 && (path[length] == '/' || !path[length]))
        path += length;
    path = arena_printf(&collection->arena, "%s%s", path[0] == '/' ? "" : "/", path);
    cgroup_cpu_read_path(&cpu, collection->context->root, path);
    return cpu.version == 2 ? path : NULL;
}

void watch_begin(struct collection *collection, const pid_t *pids, size_t count)
{
    collection->began_s = clock_s(CLOCK_MONOTONIC);
    collection->next_look_s = collection->next_pages_s = collection->next_glimpse_s = 0;
    if (collection->watch) {
        for (size_t at = 0; at < count; at++)
            activity_watch_add(collection->watch, pids[at]);
        return;
    }
    scoped_free pid_t *members = memory_alloc(CGROUP_MOST * sizeof(*members));
    size_t member_count = cgroup_pids(collection, members);
    bool in_cgroup = collection->target.kind == TARGET_CGROUP;
    collection->watch = activity_watch_new(collection->context->root, in_cgroup ? members : pids,
                                           in_cgroup ? member_count : count, collection->has_workload,
                                           cpu_cgroup(collection));
    if (collection->target.kind == TARGET_CPUS) {
        pid_t ignored[PROCESSES_MOST];
        (void)busiest_processes(collection, ignored); /* what they used before doesn't count */
    }
}

bool watch_ended(const struct collection *collection)
{
    if (collection->target.kind != TARGET_PROCESSES && collection->target.kind != TARGET_THREADS)
        return false;
    pid_t pids[1];
    return activity_processes(collection->watch, pids, 1) == 0;
}
