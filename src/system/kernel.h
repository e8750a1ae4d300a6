/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one door to perf_event_open, bpf, ioctl, mmap, read, ptrace: everything of the kernel that is not a
 * file of the sysroot.
 *
 * Code that counts, samples or probes takes a `const struct kernel *` and calls through it, so that a test
 * can put a simulated PMU behind it (tests/simulated_pmu.h). Each function answers as the system call
 * does: -1 (or MAP_FAILED) with errno set. Descriptors are opened close-on-exec.
 */
#ifndef PLUMB_SYSTEM_KERNEL_H
#define PLUMB_SYSTEM_KERNEL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

union bpf_attr;

struct kernel {
    void *context; /* the simulation's; NULL on the real one */
    int (*perf_event_open)(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                           unsigned long flags);
    int (*ioctl)(void *context, int fd, unsigned long request, unsigned long argument);
    ssize_t (*read)(void *context, int fd, void *buffer, size_t size_bytes);
    void *(*mmap)(void *context, size_t size_bytes, int protection, int flags, int fd, off_t offset_bytes);
    int (*munmap)(void *context, void *address, size_t size_bytes);
    int (*close)(void *context, int fd);
    int (*bpf)(void *context, int command, union bpf_attr *attr, unsigned int size_bytes);
    long (*ptrace)(void *context, int request, pid_t pid, uint64_t address, uint64_t data);
};

/* The running kernel. Owner: static. */
const struct kernel *kernel_live(void);

#endif
