/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast does a running program work, when it doesn't say so itself?
 *
 * Something in it recurs: a call that returns some hundred times a second of its CPU time. Such a place is looked for
 * among the return addresses on its stack, and its visits are counted by a breakpoint event (4 us a visit, so 2 % at
 * most). What a visit is worth isn't known, only that it is the same before and after a change.
 * Does not support: programs in which nothing recurs at such a rate, threads that start later, other
 * architectures than x86-64.
 */
#ifndef PLUMB_PROBE_WORK_METER_H
#define PLUMB_PROBE_WORK_METER_H

#include "base/error.h"
#include "statistics/interval.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#include <time.h>

enum { WORK_METER_THREADS_MOST = 64 };

struct work_meter {
    const struct kernel *kernel;
    uint64_t address; /* counted there */
    double visits_per_s;
    clockid_t clock;  /* the process's CPU time */
    int fds[WORK_METER_THREADS_MOST];
    size_t fd_count;
};

/*
 * Takes up to 2 s. Errors: ERROR_NOT_FOUND (nothing recurs steadily), those of stopped_thread_take and perf_event_open.
 */
MUST_CHECK bool work_meter_open(struct work_meter *meter, const struct kernel *kernel, const struct sysroot *root,
                                pid_t pid, struct error *err);
/*
 * Visits per second of CPU time, from now on for some slice_ns and at least a few visits; false: it didn't run, or
 * ended.
 */
bool work_meter_slice(const struct work_meter *meter, uint64_t slice_ns, double *ret_per_s);
void work_meter_close(struct work_meter *meter);

/* Two sets of speeds: new / old, from the medians' intervals, bound by bound. */
struct interval speed_ratio(const double *before, size_t before_count, const double *after, size_t after_count);

#endif
