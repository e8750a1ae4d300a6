/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did a process account for that has ended and is not reaped yet: bytes and calls of reading and writing, time it
 * was ready and got no CPU; and on which CPUs, at which priority did it end?
 *
 * Reading and writing include its threads and the children it waited for; the wait for a CPU is its first thread's
 * only. Source: Documentation/filesystems/proc.rst (3.3), Documentation/scheduler/sched-stats.rst.
 */
#ifndef PLUMB_EXPERIMENT_PROCESS_ACCOUNTS_H
#define PLUMB_EXPERIMENT_PROCESS_ACCOUNTS_H

#include "base/measured.h"
#include "system/sysroot.h"

#include <sys/types.h>

struct process_accounts {
    struct measured read_bytes, written_bytes, io_calls, run_delay_s;
    char cpus[128]; /* "0-3"; "" when unknown */
    char nice[8];   /* "" when unknown */
};

void process_accounts_read(struct process_accounts *accounts, const struct sysroot *root, pid_t pid);

/* Memory of a process and of what it has started, now. */
struct process_memory {
    uint64_t resident_bytes, anonymous_bytes, huge_bytes; /* huge: anonymous, shared and file memory on huge pages */
};
/* false when it is gone, or its memory may not be read. */
MUST_CHECK bool process_memory_read(struct process_memory *memory, const struct sysroot *root, pid_t pid);

#endif
