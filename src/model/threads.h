/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads seen in one capture: who they were when. Ids are dense and stable; a tid reused by a later process
 * gets a new id.
 */
#ifndef PLUMB_MODEL_THREADS_H
#define PLUMB_MODEL_THREADS_H

#include "base/hashmap.h"

#include <stdbool.h>
#include <stdint.h>

#define THREAD_NONE UINT32_MAX
/* The kernel's for a thread that was waited for, in its last events; all such are one thread of no process. */
#define TID_GONE UINT32_MAX

struct thread {
    uint32_t pid, tid;
    uint32_t comm;  /* string id of its latest name */
    uint32_t space; /* id of its address space */
    uint32_t parent_pid; /* of the process that forked it; 0: not seen */
    bool has_executed;   /* another program than the one that forked it */
    uint64_t started_ns, ended_ns; /* 0: not seen to start; UINT64_MAX: not seen to end */
};

struct threads {
    struct thread *items;
    size_t count, capacity;
    struct hashmap by_tid; /* latest thread of each tid */
};

void threads_done(struct threads *threads);
/* The current thread of that tid, created when it is new (comm unknown: string id 0). */
uint32_t threads_get(struct threads *threads, uint32_t pid, uint32_t tid);
/* The current thread of that tid, or THREAD_NONE. */
uint32_t threads_find(const struct threads *threads, uint32_t tid);
/* Begin a new thread under that tid (fork). */
uint32_t threads_begin(struct threads *threads, uint32_t pid, uint32_t tid, uint64_t time_ns);

#endif
