/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/kernel.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static int live_perf_event_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                                unsigned long flags)
{
    (void)context;
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
}

static int live_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    (void)context;
    return ioctl(fd, request, argument);
}

static ssize_t live_read(void *context, int fd, void *buffer, size_t size_bytes)
{
    (void)context;
    return read(fd, buffer, size_bytes);
}

static void *live_mmap(void *context, size_t size_bytes, int protection, int flags, int fd, off_t offset_bytes)
{
    (void)context;
    return mmap(NULL, size_bytes, protection, flags, fd, offset_bytes);
}

static int live_munmap(void *context, void *address, size_t size_bytes)
{
    (void)context;
    return munmap(address, size_bytes);
}

static int live_close(void *context, int fd)
{
    (void)context;
    return close(fd);
}

static int live_bpf(void *context, int command, union bpf_attr *attr, unsigned int size_bytes)
{
    (void)context;
    return (int)syscall(SYS_bpf, command, attr, size_bytes);
}

static long live_ptrace(void *context, int request, pid_t pid, uint64_t address, uint64_t data)
{
    (void)context;
    return syscall(SYS_ptrace, (long)request, (long)pid, address, data);
}

static const struct kernel live = {
    .perf_event_open = live_perf_event_open,
    .ioctl = live_ioctl,
    .read = live_read,
    .mmap = live_mmap,
    .munmap = live_munmap,
    .close = live_close,
    .bpf = live_bpf,
    .ptrace = live_ptrace,
};

const struct kernel *kernel_live(void)
{
    return &live;
}
