/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/thread_pinning.h"

#include "base/arena.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "system/host/guardian.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS_MOST = 256,
    SLICES = 10, /* of each kind */
    SLICE_NS = 150000000,
};

struct pinned_thread {
    pid_t tid;
    uint64_t start_ticks;     /* tells another thread of that number */
    cpu_set_t before, pinned;
};

struct pinned_threads {
    size_t count;
    struct pinned_thread items[THREADS_MOST];
};

/* The number-th word behind the name in /proc/…/stat; the state is the first. */
static bool stat_number(const struct sysroot *root, pid_t tid, int number, uint64_t *ret_value)
{
    scoped_text struct text stat = {0};
    struct error ignored;
    if (!sysroot_read(root, &stat, &ignored, "/proc/%d/stat", (int)tid))
        return false;
    const char *behind = strrchr(text_string(&stat), ')');
    struct view rest = view_trim(view_of(behind ? behind + 1 : "")), word = {0};
    for (int at = 0; at < number; at++)
        word = view_word(&rest);
    return view_u64(word, 10, ret_value);
}

enum { STAT_START = 20, STAT_CPU = 37 }; /* starttime and processor of proc_pid_stat(5), counted from the state */

static void thread_restore(const struct sysroot *root, const struct pinned_thread *thread)
{
    uint64_t start = 0;
    cpu_set_t now;
    if (!stat_number(root, thread->tid, STAT_START, &start) || start != thread->start_ticks ||
        sched_getaffinity(thread->tid, sizeof(now), &now) != 0 || !CPU_EQUAL(&now, &thread->pinned))
        return;
    (void)!sched_setaffinity(thread->tid, sizeof(thread->before), &thread->before);
}

static void all_restore(const struct sysroot *root, const struct pinned_threads *threads)
{
    for (size_t at = 0; at < threads->count; at++)
        thread_restore(root, &threads->items[at]);
}

static bool all_pin(const struct pinned_threads *threads)
{
    bool any = false;
    for (size_t at = 0; at < threads->count; at++)
        any |= sched_setaffinity(threads->items[at].tid, sizeof(cpu_set_t), &threads->items[at].pinned) == 0;
    return any;
}

/* In the guardian, when we are gone. */
struct pinning_undo {
    const struct sysroot *root;
    const struct pinned_threads *threads;
};

static void pinning_undo(void *context)
{
    const struct pinning_undo *undo = context;
    all_restore(undo->root, undo->threads);
}

/* ---- the measurement ---- */

static void threads_find(struct pinned_threads *threads, const struct sysroot *root, pid_t pid)
{
    scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", (int)pid);
    threads->count = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) && threads->count < THREADS_MOST;) {
        struct pinned_thread *thread = &threads->items[threads->count];
        uint64_t tid, cpu;
        if (!view_u64(view_of(entry->d_name), 10, &tid))
            continue;
        thread->tid = (pid_t)tid;
        if (!stat_number(root, thread->tid, STAT_START, &thread->start_ticks) ||
            !stat_number(root, thread->tid, STAT_CPU, &cpu) || cpu >= CPU_SETSIZE ||
            sched_getaffinity(thread->tid, sizeof(thread->before), &thread->before) != 0 ||
            CPU_COUNT(&thread->before) < 2)
            continue;
        CPU_ZERO(&thread->pinned);
        CPU_SET(cpu, &thread->pinned);
        threads->count++;
    }
}

static bool turns_take(const struct work_meter *meter, const struct sysroot *root, const struct pinned_threads *threads,
                       struct thread_pinning_result *result, struct error *err)
{
    double speeds[2][SLICES];
    size_t counts[2] = {0};
    uint64_t random = 9;
    for (int turn = 0; turn < SLICES * 2; turn++) {
        /* Of each two turns one is pinned, which comes first is by chance. */
        random = turn % 2 ? random : hash_u64(random);
        bool pinned = (random & 1) == (uint64_t)(turn % 2);
        if (pinned && !all_pin(threads))
            return errno == ESRCH ? error_set(err, ERROR_NOT_FOUND, "it has ended")
                                  : error_set(err, ERROR_PERMISSION,
                                              "pinning its threads was refused (other users' take CAP_SYS_NICE)");
        if (work_meter_slice(meter, SLICE_NS, &speeds[pinned][counts[pinned]]))
            counts[pinned]++;
        all_restore(root, threads);
    }
    if (counts[0] < SLICES / 2 || counts[1] < SLICES / 2)
        return error_set(err, ERROR_NOT_FOUND, "it ended or waited while its speed was measured");
    result->speed_up = speed_ratio(speeds[0], counts[0], speeds[1], counts[1]);
    return true;
}

bool thread_pinning_measure(struct work_meter *meter, const struct sysroot *root, pid_t pid,
                            struct thread_pinning_result *ret_result, struct error *err)
{
    scoped_free struct pinned_threads *threads = memory_alloc(sizeof(*threads));
    threads_find(threads, root, pid);
    struct thread_pinning_result result = {.threads = threads->count};
    if (!threads->count)
        return error_set(err, ERROR_UNSUPPORTED, "each of its threads may run on one CPU only as it is");
    struct pinning_undo undo = {root, threads};
    const struct guardian_request request = {.undo = pinning_undo, .context = &undo};
    struct guardian guardian;
    if (!guardian_start(&guardian, &request, err))
        return false;
    bool measured = turns_take(meter, root, threads, &result, err);
    all_restore(root, threads);
    guardian_end(&guardian);
    if (measured)
        *ret_result = result;
    return measured;
}
