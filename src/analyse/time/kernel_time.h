/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was the kernel doing when it ran for the target: page faults, zeroing, interrupts, which system calls?
 *
 * From the names in the call chains of kernel samples. What a soft interrupt does is of the system call whose end runs
 * it (what is sent to this machine itself is received there), else of interrupts. Does not support: samples without a
 * chain (they count as "other").
 */
#ifndef PLUMB_ANALYSE_TIME_KERNEL_TIME_H
#define PLUMB_ANALYSE_TIME_KERNEL_TIME_H

#include "analyse/time/call_callers.h"
#include "analyse/time/process_starts.h"
#include "symbol/code_bundle.h"

/* What a call was at, as far as what it calls in the kernel says so. */
enum call_object {
    CALL_OBJECT_UNKNOWN,
    CALL_OBJECT_SOCKET,
    CALL_OBJECT_FILE,
    CALL_OBJECT_PIPE,
    CALL_OBJECT_TERMINAL,
    CALL_OBJECT_COUNT
};

struct kernel_entry {
    const char *name; /* "read", "futex" */
    uint64_t samples;
    uint64_t objects[CALL_OBJECT_COUNT]; /* of these */
    struct call_callers callers;         /* of the first ones; else not known */
};

#define KERNEL_ENTRIES_MOST 16

struct kernel_time {
    uint64_t sample_count;  /* all of the target's, user and kernel */
    uint64_t kernel_samples;
    uint64_t fault_samples; /* in page faults, zeroing included */
    uint64_t zero_samples;  /* in clearing or copying pages, wherever from */
    uint64_t interrupt_samples; /* soft interrupts too, where an interrupt's end or their own thread runs them */
    uint64_t softirq_samples;   /* in soft interrupts of which the chain doesn't say who ran them */
    uint64_t spin_samples;  /* spinning for a kernel lock */
    /* start and end of programs: fork, exec, exit; what sets up short-lived ones, user code too */
    uint64_t exec_samples;
    uint64_t short_fault_samples; /* of these: page faults of short-lived processes */
    uint64_t short_call_samples;  /* of these: their calls for mappings and the like */
    struct process_starts starts;
    uint64_t call_samples;  /* in a system call, named or not */
    /* of these: at the bytes themselves (copies, random numbers, checksums), however they are cut into calls */
    uint64_t byte_samples;
    const char *byte_work; /* the function that has most of those; NULL: none */
    uint64_t cpu_clock_samples; /* of call_samples: telling the CPU time of a process or thread */
    uint64_t other_samples; /* named, but none of these: threads of the kernel, ways in and out that others share */
    uint64_t rootless_samples; /* of these: the chain doesn't say from where; of interrupts, too, perhaps */
    uint64_t unnamed_samples; /* no frame of the kernel has a name: they may be any of these */
    struct kernel_entry entries[KERNEL_ENTRIES_MOST]; /* system calls, most samples first */
    size_t entry_count;
};

struct kernel_time kernel_time_of(const struct recording *recording, const struct code_bundle *bundle,
                                  struct arena *arena);

#endif
