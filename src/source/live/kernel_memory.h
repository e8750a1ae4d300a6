/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in the running kernel's own memory at this address? For what it shows in no file.
 *
 * By a BPF program that user space runs (BPF_PROG_TYPE_SYSCALL, Linux 5.14), once for each 64 bytes, about 1 us.
 * Reading only; an address that isn't mapped is refused, never a fault. Nothing is locked: what is read may be gone, so
 * callers check what they find. Needs CAP_BPF and CAP_PERFMON, and no lockdown for confidentiality.
 */
#ifndef PLUMB_SOURCE_LIVE_KERNEL_MEMORY_H
#define PLUMB_SOURCE_LIVE_KERNEL_MEMORY_H

#include "base/error.h"
#include "system/kernel.h"

#include <linux/bpf.h>

enum { KERNEL_MEMORY_AT_ONCE = 64 };

struct kernel_memory {
    const struct kernel *kernel;
    int program_fd; /* -1: not open */
    uint64_t task;  /* address of this thread's task_struct */
};

/* What the program is called with, and answers. */
struct kernel_memory_context {
    uint64_t address; /* in; out: 0, or a negative error */
    uint64_t task;    /* out */
    uint8_t bytes[KERNEL_MEMORY_AT_ONCE]; /* out */
};

/* Errors: ERROR_PERMISSION, ERROR_UNSUPPORTED, with a hint; close is due only after success. */
MUST_CHECK bool kernel_memory_open(struct kernel_memory *memory, const struct kernel *kernel, struct error *err);
void kernel_memory_close(struct kernel_memory *memory);
/* At most KERNEL_MEMORY_AT_ONCE bytes. False: nothing is there. */
MUST_CHECK bool kernel_memory_read(const struct kernel_memory *memory, uint64_t address, void *ret_bytes, size_t count);

#endif
