/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The running kernel's names, read and sorted on another core while a recording is being read: the kernel takes as long
 * to print them as reading 20 MB of samples does.
 *
 * Only begins the work; whether these names may be used for a recording is decided as ever, when they are taken.
 */
#ifndef PLUMB_SYMBOL_KERNEL_AHEAD_H
#define PLUMB_SYMBOL_KERNEL_AHEAD_H

#include "system/sysroot.h"

struct kernel_ahead;

/* root must outlive it. Owner: the caller (kernel_ahead_free). */
struct kernel_ahead *kernel_ahead_begin(const struct sysroot *root);
/* Waits for the work when nobody took its result. NULL is allowed. */
void kernel_ahead_free(struct kernel_ahead *ahead);

#endif
