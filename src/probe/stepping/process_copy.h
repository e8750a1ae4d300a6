/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How can a program be single-stepped without being harmed? By stepping a copy of it.
 *
 * The copy is a child of ours, emptied, with the held thread's registers. Each page it touches is filled from the
 * target's memory at that moment. System calls never run in it, so that it can't reach the world; its memory is its
 * own, so that it can't reach the target; the kernel kills it when we die (PTRACE_O_EXITKILL).
 * Does not support: other architectures than x86-64.
 */
#ifndef PLUMB_PROBE_STEPPING_PROCESS_COPY_H
#define PLUMB_PROBE_STEPPING_PROCESS_COPY_H

#include "base/vec.h"
#include "probe/stepping/stopped_thread.h"

struct copied_area { /* a mapping of the target */
    uint64_t start, end;
    int protection;
    uint8_t clock; /* which of the pages that the kernel tells the time by; 0: none */
};

struct process_copy {
    const struct kernel *kernel;
    pid_t pid;    /* of the copy; 0: none */
    pid_t target;
    int memory_fd; /* the copy's */
    uint64_t stub; /* its page with our system call instruction */
    uint64_t pages; /* filled so far */
    uint64_t last_fault;
    unsigned fault_repeats;
    vec(struct copied_area) areas;
};

enum copy_stop {
    COPY_STEPPED,  /* one instruction on */
    COPY_FAULTED,  /* it touched what the target hasn't, or can't be read */
    COPY_SIGNALLED, /* a fault of its own: division by zero, bad instruction */
    COPY_GONE
};

/* Errors: ERROR_SYSTEM, ERROR_PERMISSION (ptrace), ERROR_LIMIT. Release with process_copy_done. */
MUST_CHECK bool process_copy_make(struct process_copy *copy, const struct stopped_thread *thread, struct error *err);
/* Run one instruction, pages filled as needed. */
enum copy_stop process_copy_step(struct process_copy *copy);
/* Run until it comes to address for the first time. */
enum copy_stop process_copy_run_to(struct process_copy *copy, uint64_t address);
bool process_copy_ip(struct process_copy *copy, uint64_t *ret_ip);
/* Bytes of the copy's memory, or of the target's where the copy has none yet; returns how many there were. */
size_t process_copy_read(struct process_copy *copy, uint64_t address, void *bytes, size_t count);
void process_copy_done(struct process_copy *copy);

#endif
