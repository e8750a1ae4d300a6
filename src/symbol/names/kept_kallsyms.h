/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's table of symbols as it was read before: to print it costs the kernel some 60 ms, more than many a report
 * takes else.
 *
 * One file of the user's own in the cache folder (base/file/cache_folder.h), good for as long as the machine runs with
 * the same modules and BPF programs. Nothing is kept where that can't be told. What it doesn't follow: trampolines of
 * tracing and slots of probes ("[__builtin__ftrace]"), which come and go unseen; a sample in a later one has no name.
 */
#ifndef PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H
#define PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H

#include "base/text.h"
#include "system/sysroot.h"

/* False: nothing is kept that holds now. */
bool kept_kallsyms_read(const struct sysroot *root, struct text *ret_text);
/* Keep what /proc/kallsyms said; quietly not, where that can't be. */
void kept_kallsyms_write(const struct sysroot *root, struct view text);

#endif
