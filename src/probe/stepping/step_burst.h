/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions does a running thread run from now on, one after the other?
 *
 * The thread is held for as long as its copy is stepped (some 10 microseconds an instruction): a tenth of a second for
 * 10000. A burst ends before the first system call, since a copy has no world to call. What other threads would have
 * done meanwhile is missing from it: a lock that was taken stays so.
 * Does not support: other architectures than x86-64, 32-bit programs, code that uses AMX.
 */
#ifndef PLUMB_PROBE_STEPPING_STEP_BURST_H
#define PLUMB_PROBE_STEPPING_STEP_BURST_H

#include "base/error.h"
#include "system/instruction_trace.h"
#include "system/kernel.h"
#include "system/sysroot.h"

struct step_limits {
    uint32_t instructions;
    uint64_t held_ns; /* the thread is let go after that long, however far it came */
};

enum step_end {
    STEP_END_FULL,
    STEP_END_TIME,
    STEP_END_SYSTEM_CALL,
    STEP_END_FAULT, /* in the copy; the program would take a signal, or use memory that can't be copied */
    STEP_END_COUNT
};

const char *step_end_words(enum step_end end); /* "at a system call" */

struct step_burst {
    struct instruction_trace trace;
    enum step_end end;
    uint64_t held_ns; /* how long the thread was held */
    uint64_t pages;   /* copied */
};

/*
 * Step the thread's copy. A thread met inside a system call gives an empty burst that ended there.
 * Errors: those of stopped_thread_take and process_copy_make. The thread goes on in any case.
 */
MUST_CHECK bool step_burst_take(const struct kernel *kernel, const struct sysroot *root, pid_t pid, pid_t tid,
                                const struct step_limits *limits, struct step_burst *ret_burst, struct error *err);
void step_burst_done(struct step_burst *burst);

/* A thread of these processes that runs just now, each as likely as another; false: none runs. */
bool step_thread_choose(const struct sysroot *root, const pid_t *pids, size_t count, uint64_t *random, pid_t *ret_pid,
                        pid_t *ret_tid);

#endif
