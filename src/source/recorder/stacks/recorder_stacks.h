/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the call chains that the kernel finds by frame pointers reach their thread's root?
 *
 * A chain that does ends in whatever called the thread's first function, the same place for every sample of the
 * thread; one that breaks off ends wherever a function without frame pointer stood. So, for each thread, the outermost
 * place that most of its chains share is taken as its root, provided that
 *   - the chain has a caller at all (two addresses or more),
 *   - the place lies in executable memory, and
 *   - it lies in the C library or the dynamic linker (main's caller, start_thread), or the program doesn't
 *     use them (static, Go), or two threads share it.
 * Threads seen fewer than three times are taken together with all such threads of the same program (make, shell loops),
 * places then being those of the file. The share of chains that end there is an estimate: a library with frame pointers
 * whose only caller has none would pass. Chains of processes of which no mapping is known aren't judged.
 */
#ifndef PLUMB_SOURCE_RECORDER_STACKS_RECORDER_STACKS_H
#define PLUMB_SOURCE_RECORDER_STACKS_RECORDER_STACKS_H

#include "base/hashmap.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_end { /* the outermost place of some chains of a thread */
    uint32_t thread;
    uint64_t place; /* of the file, or of the process's memory; 0: no caller, or not in executable memory */
    uint64_t count;
    bool in_c_library, uses_c_library; /* the place, the process */
};

struct stack_thread {
    uint32_t pid, tid;
    uint64_t program, count;
};

struct stack_range { /* executable memory */
    uint64_t start, end, file, file_offset; /* file: hash of its path; 0: none */
    uint64_t since_ns;
    bool in_c_library;
};

struct stack_process {
    uint32_t pid;
    bool uses_c_library, ended;
    uint64_t began_ns; /* it became this program; 0: before */
    uint64_t program; /* the file mapped first; 0: not known */
    vec(struct stack_range) ranges; /* the latest last */
};

struct recorder_stacks {
    struct hashmap ends_by_key, threads_by_key, processes_by_pid;
    vec(struct stack_end) ends;
    vec(struct stack_thread) threads;
    vec(struct stack_process) processes;
    vec(uint32_t) ended; /* indices of processes, the oldest first from ended_at on */
    size_t ended_at;
    uint64_t count; /* chains with a user part */
    uint64_t first_ns, last_ns; /* the earliest, the latest: rings are emptied one after the other, so time goes back */
};

struct stack_share {
    uint64_t judged, at_root;
};

void recorder_stacks_done(struct recorder_stacks *stacks);
/* An executable mapping of a process; a fork; a new program; the end. */
/* Rings are emptied one after the other: what came first may be told last, so that the times of these decide. */
void recorder_stacks_mapped(struct recorder_stacks *stacks, uint32_t pid, uint64_t time_ns, uint64_t start,
                            uint64_t size_bytes, uint64_t file_offset, const char *path);
void recorder_stacks_forked(struct recorder_stacks *stacks, uint32_t pid, uint32_t parent, uint64_t time_ns);
void recorder_stacks_execed(struct recorder_stacks *stacks, uint32_t pid, uint64_t time_ns);
void recorder_stacks_ended(struct recorder_stacks *stacks, uint32_t pid);
/* A sample's chain as the kernel wrote it, PERF_CONTEXT_* marks included. */
void recorder_stacks_add(struct recorder_stacks *stacks, uint32_t pid, uint32_t tid, uint64_t time_ns,
                         const uint64_t *chain, uint64_t length);
struct stack_share recorder_stacks_share(const struct recorder_stacks *stacks);

#endif
