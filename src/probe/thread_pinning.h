/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a running program faster when its threads stay on the CPUs they are on?
 *
 * Each thread is pinned for a moment and let free for a moment, in turns of random order, so that drift hits both
 * alike. A guardian in a session of its own gives each thread its CPUs back when we are done, or when we are killed. A
 * thread whose CPUs somebody else set meanwhile is left as that one wants it.
 */
#ifndef PLUMB_PROBE_THREAD_PINNING_H
#define PLUMB_PROBE_THREAD_PINNING_H

#include "probe/work_meter.h"

struct thread_pinning_result {
    size_t threads;           /* that were pinned */
    struct interval speed_up; /* pinned / free */
};

/* Errors: ERROR_PERMISSION (not our process), ERROR_NOT_FOUND, ERROR_UNSUPPORTED: there is one CPU only. */
MUST_CHECK bool thread_pinning_measure(struct work_meter *meter, const struct sysroot *root, pid_t pid,
                                       struct thread_pinning_result *ret_result, struct error *err);

#endif
