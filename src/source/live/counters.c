/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting, reading and closing what counters_open.c opened. */
#include "source/live/counters.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    CARETAKER_PAUSE_SECONDS = 1
};

static bool is_leader(const struct counters *counters, size_t index)
{
    return counters->items[index].leader == index;
}

static void leaders_control(struct counters *counters, unsigned long request, bool machine_wide_only)
{
    for (size_t at = 0; at < counters->count; at++) {
        struct counter *counter = &counters->items[at];
        if (!is_leader(counters, at) || (machine_wide_only && !counter->machine_wide))
            continue;
        for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
            if (counter->fds[cell] >= 0)
                counters->kernel->ioctl(counters->kernel->context, counter->fds[cell], request, 0);
    }
}

void counters_enable(struct counters *counters)
{
    leaders_control(counters, PERF_EVENT_IOC_ENABLE, false);
}

void counters_enable_machine_wide(struct counters *counters)
{
    leaders_control(counters, PERF_EVENT_IOC_ENABLE, true);
}

void counters_disable(struct counters *counters)
{
    leaders_control(counters, PERF_EVENT_IOC_DISABLE, false);
}

void counter_switch(struct counters *counters, size_t index, bool on)
{
    const struct counter *counter = &counters->items[index];
    unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
        if (counter->fds[cell] >= 0)
            counters->kernel->ioctl(counters->kernel->context, counter->fds[cell], request, 0);
}

static void single_read(struct counters *counters, struct counter *counter, size_t cell)
{
    uint64_t words[3];
    ssize_t got = counters->kernel->read(counters->kernel->context, counter->fds[cell], words, sizeof(words));
    /* 0 bytes: a pinned event that found no counter is in error, and stays there */
    counter->values[cell] = (struct counter_value){.valid = true};
    if (got == sizeof(words))
        counter->values[cell] = (struct counter_value){words[0], words[1], words[2], true};
}

/* nr, enabled, running, then the values in the order of opening: the leader's, its members'. */
static void group_read(struct counters *counters, size_t leader, size_t cell)
{
    size_t capacity = 3 + counters->count;
    scoped_free uint64_t *words = memory_alloc(memory_product(capacity, sizeof(*words)));
    const struct counter *first = &counters->items[leader];
    ssize_t got = counters->kernel->read(counters->kernel->context, first->fds[cell], words, capacity * sizeof(*words));
    size_t have = got > 0 ? (size_t)got / sizeof(*words) : 0;
    size_t next = 3;
    for (size_t at = leader; at < counters->count; at++) {
        struct counter *counter = &counters->items[at];
        if (counter->leader != leader || counter->fds[cell] < 0)
            continue;
        counter->values[cell] = (struct counter_value){.valid = true};
        if (next < have && next - 3 < words[0])
            counter->values[cell] = (struct counter_value){words[next], words[1], words[2], true};
        next++;
    }
}

void counters_read(struct counters *counters)
{
    for (size_t at = 0; at < counters->count; at++) {
        struct counter *counter = &counters->items[at];
        if (!is_leader(counters, at))
            continue;
        for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++) {
            if (counter->fds[cell] < 0)
                continue;
            if (counter->attr.read_format & PERF_FORMAT_GROUP)
                group_read(counters, at, cell);
            else
                single_read(counters, counter, cell);
        }
    }
}

size_t counters_open_count(const struct counters *counters)
{
    size_t open = 0;
    for (size_t at = 0; at < counters->count; at++)
        open += counters->items[at].refusal == REFUSAL_NONE;
    return open;
}

/* The end. */

static bool closes_slowly(const struct counter *counter)
{
    bool probe = counter->spec->pmu &&
                 (strcmp(counter->spec->pmu, "uprobe") == 0 || strcmp(counter->spec->pmu, "kprobe") == 0);
    return counter->refusal == REFUSAL_NONE && (probe || counter->attr.type == PERF_TYPE_TRACEPOINT);
}

struct descriptors {
    int *items;
    size_t count, capacity;
};

static int compare_fd(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static void slow_descriptors(const struct counters *counters, struct descriptors *fds)
{
    for (size_t at = 0; at < counters->count; at++) {
        const struct counter *counter = &counters->items[at];
        for (size_t cell = 0; closes_slowly(counter) && cell < counter->cpu_count * counter->thread_count; cell++)
            if (counter->fds[cell] >= 0)
                *vec_push(fds) = counter->fds[cell];
    }
}

static void range_close(unsigned first, unsigned last)
{
#ifdef SYS_close_range
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
#endif
    struct rlimit limit;
    unsigned most = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1u << 20 ? (unsigned)limit.rlim_cur
                                                                                       : 1u << 20;
    for (unsigned fd = first; fd <= last && fd < most; fd++)
        close((int)fd);
}

/* What the caretaker does: hold nothing but those descriptors until we have let go of ours, then end. */
__attribute__((noreturn)) static void caretaker_run(const struct descriptors *fds, int turn_fd)
{
    unsigned next = 0;
    char byte;
    for (size_t at = 0; at < fds->count; at++) {
        if ((unsigned)fds->items[at] > next)
            range_close(next, (unsigned)fds->items[at] - 1);
        next = (unsigned)fds->items[at] + 1;
    }
    range_close(next, ~0u);
    setsid();
    if (chdir("/") != 0 || read(turn_fd, &byte, 1) < 0)
        _exit(1);
    /* who counts the same again right away finds the events still there, and doesn't wait for us */
    struct timespec pause = {.tv_sec = CARETAKER_PAUSE_SECONDS};
    nanosleep(&pause, NULL);
    _exit(0);
}

/*
 * Leave the slow ones to a process that nobody waits for: once we end, it is init's child. The last one to close
 * pays, so it must not end before we have closed ours: *ret_turn_fd, closed by us, tells it.
 */
static void slow_leave(struct counters *counters, int *ret_turn_fd)
{
    struct descriptors fds = {0};
    int turn[2];
    slow_descriptors(counters, &fds);
    if (fds.count && pipe2(turn, O_CLOEXEC) == 0) {
        leaders_control(counters, PERF_EVENT_IOC_DISABLE, false);
        *vec_push(&fds) = turn[0];
        qsort(fds.items, fds.count, sizeof(int), compare_fd);
        sigset_t all, old;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &old); /* no handler of ours runs in the caretaker */
        if (fork() == 0)
            caretaker_run(&fds, turn[0]);
        sigprocmask(SIG_SETMASK, &old, NULL);
        close(turn[0]);
        *ret_turn_fd = turn[1];
    }
    vec_done(&fds);
}

void counters_close(struct counters *counters)
{
    scoped_fd int turn_fd = -1;
    if (counters->kernel == kernel_live())
        slow_leave(counters, &turn_fd);
    for (size_t at = 0; at < counters->count; at++)
        for (size_t cell = 0; cell < counters->items[at].cpu_count * counters->items[at].thread_count; cell++)
            if (counters->items[at].fds[cell] >= 0)
                counters->kernel->close(counters->kernel->context, fd_steal(&counters->items[at].fds[cell]));
    counters->count = 0;
}
