/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is another program's thread held for a moment, its registers read, and let go as if nothing had been?
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT: no signal is sent, and should we die at any moment, by SIGKILL too, the kernel
 * detaches and lets the thread run on. It is never stepped (that is done to a copy, process_copy.h), so no trap can be
 * left behind. Signals that arrive meanwhile are passed on with their information, or stay pending for it. A call that
 * the interruption would end with EINTR, as no restart is made of it, is begun anew, unless a signal wants that EINTR.
 * One thing can't be kept from the target, by no tracer: while its main thread is held, the end of one of its children
 * (SIGCHLD without a handler) may end a wait of another of its threads with EINTR, since the kernel ignores no signal
 * of a traced process.
 * Does not support: other architectures than x86-64, 32-bit programs.
 */
#ifndef PLUMB_PROBE_STEPPING_STOPPED_THREAD_H
#define PLUMB_PROBE_STEPPING_STOPPED_THREAD_H

#include "base/error.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#include <sys/user.h>

enum {
    THREAD_STATE_MOST = 32768,
    VECTOR_STATE = 0x202 /* NT_X86_XSTATE of elf.h, which names what ptrace calls a set of registers */
};

struct stopped_thread {
    const struct kernel *kernel;
    const struct sysroot *root;
    pid_t pid, tid;
    bool is_held;
    bool in_kernel; /* it was met in a system call that begins anew: there is no user code to look at */
    uint64_t since_ns;
#if defined(__x86_64__)
    struct user_regs_struct registers;
#endif
    size_t state_bytes; /* of the vector registers, as XSAVE lays them out */
    _Alignas(64) uint8_t state[THREAD_STATE_MOST];
};

/*
 * Hold it. Errors: ERROR_PERMISSION (the message says which setting, and what to do), ERROR_NOT_FOUND (gone),
 * ERROR_UNSUPPORTED. After an error nothing is held.
 */
MUST_CHECK bool stopped_thread_take(struct stopped_thread *thread, const struct kernel *kernel,
                                    const struct sysroot *root, pid_t pid, pid_t tid, struct error *err);
/* Let it go; it may be gone. Returns how long it was held. */
uint64_t stopped_thread_release(struct stopped_thread *thread);

#endif
