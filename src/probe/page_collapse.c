/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/page_collapse.h"

#include "base/clock.h"
#include "base/scope.h"
#include "probe/known_work.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* linux/mman.h since 6.1 */
#endif

enum {
    HUGE_BYTES = 2 << 20,
    CHUNK_BYTES = 64 << 20,
    SLICES = 9,
    SLICE_NS = 150000000,
    CONTROL_TURNS = 2000000, /* some 3 ms */
};

static double control_speed(void)
{
    uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    known_work_chain(CONTROL_TURNS);
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    return used_ns ? CONTROL_TURNS * 1e9 / (double)used_ns : 0;
}

struct speeds {
    double target[SLICES], control[SLICES];
    size_t count;
};

static bool speeds_take(struct speeds *speeds, const struct work_meter *meter, struct error *err)
{
    speeds->count = 0;
    for (int tries = 0; tries < SLICES * 2 && speeds->count < SLICES; tries++) {
        speeds->control[speeds->count] = control_speed();
        if (work_meter_slice(meter, SLICE_NS, &speeds->target[speeds->count]))
            speeds->count++;
    }
    return speeds->count >= SLICES / 2 ||
           error_set(err, ERROR_NOT_FOUND, "it ended or waited while its speed was measured");
}

static bool refused(int why, struct error *err)
{
    switch (why) {
    case EPERM:
    case EACCES:
        return error_set(err, ERROR_PERMISSION, "changing the pages of another process was refused") ||
               error_hint(err, "that needs CAP_SYS_NICE and the right to trace it: run plumb as root");
    case ENOSYS:
    case EINVAL:
        return error_set(err, ERROR_UNSUPPORTED,
                         "the kernel can't put this memory on huge pages (MADV_COLLAPSE: Linux 6.1, anonymous memory, "
                         "not forbidden by MADV_NOHUGEPAGE)");
    case ENOMEM:
    case EAGAIN:
    case EBUSY:
        return error_set(err, ERROR_LIMIT, "the kernel found no free huge pages for it, or its pages were in use") ||
               error_hint(err, "compact memory first: echo 1 > /proc/sys/vm/compact_memory");
    case ESRCH:
        return error_set(err, ERROR_NOT_FOUND, "it has ended");
    default:
        return error_system(err, why, "collapsing its pages");
    }
}

/* Chunk by chunk: one that can't be done doesn't keep the others from it. */
static bool collapse(pid_t pid, uint64_t start, uint64_t end, uint64_t *ret_done, struct error *err)
{
    scoped_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    int failed = pidfd < 0 ? errno : 0;
    *ret_done = 0;
    for (uint64_t at = start; pidfd >= 0 && at < end; at += CHUNK_BYTES) {
        size_t bytes = end - at < CHUNK_BYTES ? end - at : CHUNK_BYTES;
        struct iovec range = {(void *)(uintptr_t)at, bytes};
        ssize_t done = syscall(SYS_process_madvise, pidfd, &range, 1ul, MADV_COLLAPSE, 0u);
        if (done > 0)
            *ret_done += (uint64_t)done;
        else
            failed = errno;
        if (done < 0 && (failed == EPERM || failed == ENOSYS || failed == ESRCH))
            break;
    }
    return *ret_done > 0 || refused(failed, err);
}

bool page_collapse_measure(struct work_meter *meter, pid_t pid, uint64_t start, uint64_t end,
                           struct page_collapse_result *ret_result, struct error *err)
{
    struct speeds before, after;
    struct page_collapse_result result = {0};
    start = (start + HUGE_BYTES - 1) & ~(uint64_t)(HUGE_BYTES - 1);
    end &= ~(uint64_t)(HUGE_BYTES - 1);
    if (end <= start)
        return error_set(err, ERROR_UNSUPPORTED, "its hot memory is smaller than a huge page");
    if (!speeds_take(&before, meter, err))
        return false;
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    if (!collapse(pid, start, end, &result.collapsed_bytes, err))
        return false;
    result.elapsed_s = (double)(clock_ns(CLOCK_MONOTONIC) - began_ns) * 1e-9;
    if (!speeds_take(&after, meter, err))
        return error_wrap(err, "its pages were collapsed, but then");
    result.speed_up = speed_ratio(before.target, before.count, after.target, after.count);
    result.control = speed_ratio(before.control, before.count, after.control, after.count);
    *ret_result = result;
    return true;
}
