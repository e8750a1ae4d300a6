/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When did the processes end that were attached to? Looks at /proc come too late by up to a quarter of a second. */
#include "base/clock.h"
#include "base/vec.h"
#include "command/diagnose/diagnose_collection.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

struct watched_end {
    pid_t pid;
    int fd; /* -1: it has ended */
};

struct process_ends {
    int epoll_fd;
    vec(struct watched_end) items;
    size_t alive;
    double last_s;
};

static int process_fd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

static bool end_add(struct process_ends *ends, pid_t pid)
{
    vec_for_each(&ends->items, item)
        if (item->pid == pid && item->fd >= 0)
            return true;
    int fd = process_fd(pid);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = ends->items.count};
    if (fd < 0 || epoll_ctl(ends->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) < 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    *vec_push(&ends->items) = (struct watched_end){pid, fd};
    ends->alive++;
    return true;
}

void ends_begin(struct collection *collection)
{
    const struct target *target = &collection->target;
    if (target->kind != TARGET_PROCESSES)
        return;
    struct process_ends *ends = memory_alloc(sizeof(*ends));
    *ends = (struct process_ends){.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    collection->ends = ends;
    bool all = ends->epoll_fd >= 0;
    for (size_t at = 0; all && at < target->thread_count; at++)
        if (target->threads[at].pid == target->threads[at].tid)
            all = end_add(ends, target->threads[at].pid);
    if (!all || !ends->alive)
        ends_free(collection);
}

int ends_fd(const struct collection *collection)
{
    return collection->ends ? collection->ends->epoll_fd : -1;
}

void ends_look(struct collection *collection)
{
    enum { EVENTS_MOST = 16, CHILDREN_MOST = 16 };
    struct process_ends *ends = collection->ends;
    struct epoll_event events[EVENTS_MOST];
    if (!ends || !ends->alive)
        return;
    int count = epoll_wait(ends->epoll_fd, events, EVENTS_MOST, 0);
    for (int at = 0; at < count; at++) {
        struct watched_end *item = &ends->items.items[events[at].data.u64];
        close(item->fd); /* leaves the epoll */
        item->fd = -1;
        ends->alive--;
        ends->last_s = clock_s(CLOCK_MONOTONIC);
    }
    if (count <= 0 || ends->alive)
        return;
    /* What they have started since belongs to the target, too. */
    activity_look(collection->watch);
    pid_t pids[CHILDREN_MOST];
    size_t children = activity_processes(collection->watch, pids, CHILDREN_MOST);
    for (size_t at = 0; at < children; at++)
        (void)!end_add(ends, pids[at]);
}

double ends_last_s(const struct collection *collection)
{
    return collection->ends && !collection->ends->alive ? collection->ends->last_s : clock_s(CLOCK_MONOTONIC);
}

void ends_free(struct collection *collection)
{
    struct process_ends *ends = collection->ends;
    if (!ends)
        return;
    vec_for_each(&ends->items, item)
        if (item->fd >= 0)
            close(item->fd);
    vec_done(&ends->items);
    if (ends->epoll_fd >= 0)
        close(ends->epoll_fd);
    free(ends);
    collection->ends = NULL;
}
