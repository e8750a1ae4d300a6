/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the call chains that the kernel finds by frame pointers reach their thread's root?
 *
 * A chain that does ends in whatever called the thread's first function, the same address for every sample
 * of the thread; one that breaks off ends wherever a function without frame pointer stood. So, for each
 * thread, the outermost address that most of its chains share is taken as its root, provided that
 *   - the chain has a caller at all (two addresses or more),
 *   - the address lies in executable memory, and
 *   - it lies in the C library or the dynamic linker (main's caller, start_thread), or the program doesn't
 *     use them (static, Go), or two threads share it.
 * The share of chains that end there is an estimate: a library with frame pointers whose only caller has
 * none would pass; a thread seen fewer than three times isn't judged.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_STACKS_H
#define PLUMB_SOURCE_RECORDER_RECORDER_STACKS_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "system/sysroot.h"

struct stack_end { /* the outermost address of some chains of a thread */
    uint32_t thread;
    uint64_t addr; /* 0: no caller, or not in executable memory */
    uint64_t count;
    bool in_c_library;
};

struct stack_thread {
    uint32_t pid, tid;
    uint64_t count;
};

struct stack_process {
    uint32_t pid;
    bool uses_c_library, read_again;
    struct text maps; /* /proc/PID/maps */
};

struct recorder_stacks {
    const struct sysroot *root;
    struct hashmap ends_by_key, threads_by_tid;
    vec(struct stack_end) ends;
    vec(struct stack_thread) threads;
    vec(struct stack_process) processes;
    unsigned maps_read;
    uint64_t count; /* chains with a user part */
    uint64_t first_ns, last_ns;
};

struct stack_share {
    uint64_t judged, at_root;
};

void recorder_stacks_init(struct recorder_stacks *stacks, const struct sysroot *root);
void recorder_stacks_done(struct recorder_stacks *stacks);
/* A sample's chain as the kernel wrote it, PERF_CONTEXT_* marks included. */
void recorder_stacks_add(struct recorder_stacks *stacks, uint32_t pid, uint32_t tid, uint64_t time_ns,
                         const uint64_t *chain, uint64_t length);
struct stack_share recorder_stacks_share(const struct recorder_stacks *stacks);

#endif
