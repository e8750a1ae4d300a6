/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does the running kernel, or a module of it, say of its own types? The bytes of a file in /sys/kernel/btf, for
 * decode/btf.
 */
#ifndef PLUMB_SOURCE_LIVE_KERNEL_TYPES_H
#define PLUMB_SOURCE_LIVE_KERNEL_TYPES_H

#include "base/text.h"
#include "system/sysroot.h"

/* Mapped where the kernel can (from Linux 6.16 on), else copied, which takes a system call for each page of 5 MB. */
struct kernel_types {
    void *mapped;
    struct text copy;
    struct view bytes;
};

/* name: "vmlinux", or a module's. False: there is none; done isn't due then. */
bool kernel_types_read(struct kernel_types *types, const struct sysroot *root, const char *name);
void kernel_types_done(struct kernel_types *types);

#endif
