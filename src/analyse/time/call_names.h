/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which system call does this name stand for? One name for each call, the one that strace prints on x86-64.
 *
 * The kernel names its entries otherwise than people do (newlstat, mmap_pgoff), and the C library has names of its own
 * (llseek, __open64_nocancel, pthread_cond_wait). Does not support: which of several calls a wrapper makes in this
 * version of the library; samples that show both tell that better.
 */
#ifndef PLUMB_ANALYSE_TIME_CALL_NAMES_H
#define PLUMB_ANALYSE_TIME_CALL_NAMES_H

#include "base/arena.h"

/* Of the kernel's name without its prefix: "newlstat" to "lstat". Another one is returned as it is. */
const char *system_call_name(const char *kernel_name);
/* Of the C library's function, without underscores before it: "lseek64" to "lseek". Owner: arena, or as given. */
const char *library_call_name(const char *function, struct arena *arena);

#endif
