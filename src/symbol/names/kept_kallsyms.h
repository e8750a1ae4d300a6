/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The running kernel's functions as they were found before: to print its table of symbols costs the kernel some 60 ms,
 * to read and sort what it printed another 20, together more than many a report takes else.
 *
 * One file of the user's own in the cache folder (base/file/cache_folder.h), good for as long as the machine runs with
 * the same modules and BPF programs. Nothing is kept where that can't be told. What it doesn't follow: trampolines of
 * tracing and slots of probes ("[__builtin__ftrace]"), which come and go unseen; a sample in a later one has no name.
 */
#ifndef PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H
#define PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H

#include "symbol/names/running_kernel.h"

/* False: nothing is kept that holds now. Owner: the caller (running_kernel_done). */
bool kept_kallsyms_read(const struct sysroot *root, struct running_kernel *ret_names);
/* Keep what /proc/kallsyms said; quietly not, where that can't be. */
void kept_kallsyms_write(const struct sysroot *root, const struct running_kernel *names);

/* What stands in the file. names: whose text it is; its index is found. False: a crash or a full disk damaged it. */
bool kept_kallsyms_unpack(struct running_kernel *names);
void kept_kallsyms_pack(struct text *out, const struct running_kernel *names);

#endif
