/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/work_meter.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/stepping/step_burst.h"
#include "probe/stepping/stopped_thread.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

struct interval speed_ratio(const double *before, size_t before_count, const double *after, size_t after_count)
{
    struct interval old = median_interval(before, before_count), new = median_interval(after, after_count);
    if (!old.known || !new.known || old.low <= 0)
        return (struct interval){0};
    return interval_of(new.low / old.high, new.mid / old.mid, new.high / old.low);
}

#if defined(__x86_64__)

enum {
    HOLDS = 6,                /* looks at the stack */
    STACK_BYTES = 16384,
    CANDIDATES_MOST = 48,
    TRIAL_NS = 200000000,
    TRIAL_STEP_NS = 1000000,
    TRIAL_VISITS_MOST = 400,  /* more often than is of use: away from there */
    STEADY_SLICES = 6,
    STEADY_SLICE_NS = 60000000,
    SLICE_VISITS_LEAST = 12,
    SLICE_MOST_NS = 1200000000,
    CALL_BYTES_MOST = 7,
};

static const double VISITS_LEAST_PER_S = 20, VISITS_MOST_PER_S = 5000, STEADY = 0.25;

struct executable_area {
    uint64_t start, end;
};

struct search {
    const struct kernel *kernel;
    const struct sysroot *root;
    pid_t pid;
    vec(struct executable_area) areas;
    uint64_t candidates[CANDIDATES_MOST];
    size_t count;
};

static void pause_ns(uint64_t ns)
{
    struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&pause, NULL);
}

/* ---- places that recur ---- */

static bool areas_read(struct search *search, struct error *err)
{
    scoped_text struct text maps = {0};
    if (!sysroot_read(search->root, &maps, err, "/proc/%d/maps", (int)search->pid))
        return false;
    struct view rest = text_view(&maps);
    for (struct view line; view_line(&rest, &line);) {
        struct view range = view_word(&line), flags = view_word(&line), from = view_cut(&range, '-');
        struct executable_area area;
        if (flags.length >= 3 && flags.text[2] == 'x' && view_u64(from, 16, &area.start) &&
            view_u64(range, 16, &area.end))
            *vec_push(&search->areas) = area;
    }
    return true;
}

static size_t bytes_read(const struct search *search, uint64_t address, void *bytes, size_t count)
{
    struct iovec here = {bytes, count}, there = {(void *)(uintptr_t)address, count};
    ssize_t got = process_vm_readv(search->pid, &here, 1, &there, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

/*
 * Whether a call stands right before it: call rel32 is e8, call through memory or a register ff with 2 in its middle
 * bits.
 */
static bool is_return_address(const struct search *search, uint64_t value)
{
    bool inside = false;
    uint8_t before[CALL_BYTES_MOST];
    for (size_t at = 0; at < search->areas.count && !inside; at++)
        inside = value >= search->areas.items[at].start + CALL_BYTES_MOST && value < search->areas.items[at].end;
    if (!inside || bytes_read(search, value - CALL_BYTES_MOST, before, sizeof(before)) != sizeof(before))
        return false;
    if (before[CALL_BYTES_MOST - 5] == 0xe8)
        return true;
    for (int length = 2; length <= CALL_BYTES_MOST; length++)
        if (before[CALL_BYTES_MOST - length] == 0xff && (before[CALL_BYTES_MOST - length + 1] >> 3 & 7) == 2)
            return true;
    return false;
}

static void candidate_add(struct search *search, uint64_t address)
{
    for (size_t at = 0; at < search->count; at++)
        if (search->candidates[at] == address)
            return;
    if (search->count < CANDIDATES_MOST)
        search->candidates[search->count++] = address;
}

static void stack_scan(struct search *search, uint64_t from)
{
    scoped_free uint64_t *stack = memory_alloc(STACK_BYTES);
    uint64_t start = from & ~UINT64_C(7);
    size_t bytes = bytes_read(search, start, stack, STACK_BYTES);
    for (size_t at = 0; at < bytes / sizeof(*stack); at++)
        if (is_return_address(search, stack[at]))
            candidate_add(search, stack[at]);
}

static bool candidates_find(struct search *search, struct error *err)
{
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    uint64_t random = 5;
    bool held = false;
    for (int hold = 0; hold < HOLDS; hold++) {
        pid_t pid, tid;
        struct error refused = {0};
        pause_ns(7000000);
        if (!step_thread_choose(search->root, &search->pid, 1, &random, &pid, &tid))
            continue;
        if (!stopped_thread_take(thread, search->kernel, search->root, pid, tid, &refused)) {
            if (refused.kind == ERROR_NOT_FOUND)
                continue;
            *err = refused;
            return false;
        }
        held = true;
        stack_scan(search, thread->registers.rsp);
        (void)stopped_thread_release(thread);
    }
    return held || error_set(err, ERROR_NOT_FOUND, "no thread of it was met running");
}

/* ---- counting ---- */

void work_meter_close(struct work_meter *meter)
{
    for (size_t at = 0; at < meter->fd_count; at++)
        meter->kernel->close(meter->kernel->context, meter->fds[at]);
    meter->fd_count = 0;
}

static bool counters_open(struct work_meter *meter, const struct search *search, uint64_t address, struct error *err)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_X, .bp_addr = address,
        .bp_len = sizeof(long), .exclude_kernel = 1, .exclude_hv = 1,
    };
    meter->fd_count = 0;
    meter->address = address;
    int failed = 0;
    scoped_dir DIR *tasks = sysroot_opendir(search->root, "/proc/%d/task", (int)search->pid);
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) && meter->fd_count < WORK_METER_THREADS_MOST;) {
        uint64_t tid;
        if (!view_u64(view_of(entry->d_name), 10, &tid))
            continue;
        int fd = meter->kernel->perf_event_open(meter->kernel->context, &attr, (pid_t)tid, -1, -1, 0);
        if (fd >= 0)
            meter->fds[meter->fd_count++] = fd;
        else
            failed = errno;
    }
    return meter->fd_count || error_system(err, failed ? failed : ESRCH, "can't count visits by a breakpoint event");
}

static uint64_t visits(const struct work_meter *meter)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < meter->fd_count; at++) {
        uint64_t count = 0;
        if (meter->kernel->read(meter->kernel->context, meter->fds[at], &count, sizeof(count)) == sizeof(count))
            sum += count;
    }
    return sum;
}

bool work_meter_slice(const struct work_meter *meter, uint64_t slice_ns, double *ret_per_s)
{
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC), cpu_ns = clock_ns(meter->clock), before = visits(meter), met = 0;
    for (uint64_t passed_ns = 0; passed_ns < slice_ns || (met < SLICE_VISITS_LEAST && passed_ns < SLICE_MOST_NS);) {
        pause_ns(passed_ns < slice_ns ? slice_ns - passed_ns : slice_ns / 4);
        passed_ns = clock_ns(CLOCK_MONOTONIC) - began_ns;
        met = visits(meter) - before;
    }
    uint64_t used_ns = clock_ns(meter->clock) - cpu_ns;
    if (met < SLICE_VISITS_LEAST / 2 || used_ns == 0 || used_ns > UINT64_MAX / 2)
        return false;
    *ret_per_s = (double)met * 1e9 / (double)used_ns;
    return true;
}

/* Roughly how often it is visited; left at once where that is far too often. 0: not at all, or too often. */
static double trial_rate(struct work_meter *meter)
{
    uint64_t cpu_ns = clock_ns(meter->clock), began_ns = clock_ns(CLOCK_MONOTONIC), met = 0;
    while (clock_ns(CLOCK_MONOTONIC) - began_ns < TRIAL_NS) {
        pause_ns(TRIAL_STEP_NS);
        met = visits(meter);
        if (met > TRIAL_VISITS_MOST)
            break;
    }
    uint64_t used_ns = clock_ns(meter->clock) - cpu_ns;
    double rate = used_ns ? (double)met * 1e9 / (double)used_ns : 0;
    return rate >= VISITS_LEAST_PER_S && rate <= VISITS_MOST_PER_S ? rate : 0;
}

static bool is_steady(struct work_meter *meter)
{
    double rates[STEADY_SLICES];
    for (int at = 0; at < STEADY_SLICES; at++)
        if (!work_meter_slice(meter, STEADY_SLICE_NS, &rates[at]))
            return false;
    struct interval spread = quartile_interval(rates, STEADY_SLICES);
    meter->visits_per_s = spread.mid;
    return spread.known && spread.high - spread.low < STEADY * spread.mid;
}

static bool meter_choose(struct work_meter *meter, const struct search *search, struct error *err)
{
    double tried[CANDIDATES_MOST] = {0};
    for (size_t at = 0; at < search->count; at++) {
        if (!counters_open(meter, search, search->candidates[at], err))
            return false;
        tried[at] = trial_rate(meter);
        work_meter_close(meter);
    }
    /* The more often the better, as long as it is steady. */
    for (;;) {
        size_t best = 0;
        for (size_t at = 1; at < search->count; at++)
            best = tried[at] > tried[best] ? at : best;
        if (!search->count || tried[best] <= 0)
            return error_set(
                err, ERROR_NOT_FOUND,
                "its speed can't be told: no call of those on its stack returns steadily 20 to 5000 times a second");
        tried[best] = 0;
        if (!counters_open(meter, search, search->candidates[best], err))
            return false;
        if (is_steady(meter))
            return true;
        work_meter_close(meter);
    }
}

bool work_meter_open(struct work_meter *meter, const struct kernel *kernel, const struct sysroot *root, pid_t pid,
                     struct error *err)
{
    struct search search = {.kernel = kernel, .root = root, .pid = pid};
    *meter = (struct work_meter){.kernel = kernel};
    bool opened = clock_getcpuclockid(pid, &meter->clock) == 0 ||
                  error_set(err, ERROR_NOT_FOUND, "process %d has ended", (int)pid);
    opened = opened && areas_read(&search, err) && candidates_find(&search, err) && meter_choose(meter, &search, err);
    vec_done(&search.areas);
    return opened;
}

#else

bool work_meter_open(struct work_meter *meter, const struct kernel *kernel, const struct sysroot *root, pid_t pid,
                     struct error *err)
{
    (void)meter;
    (void)kernel;
    (void)root;
    (void)pid;
    return error_set(err, ERROR_UNSUPPORTED, "measuring a running program's speed is built for x86-64 only");
}

bool work_meter_slice(const struct work_meter *meter, uint64_t slice_ns, double *ret_per_s)
{
    (void)meter;
    (void)slice_ns;
    (void)ret_per_s;
    return false;
}

void work_meter_close(struct work_meter *meter)
{
    (void)meter;
}

#endif
