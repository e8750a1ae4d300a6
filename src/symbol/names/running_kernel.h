/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does the running kernel call its functions? /proc/kallsyms, and why it may say nothing. */
#ifndef PLUMB_SYMBOL_NAMES_RUNNING_KERNEL_H
#define PLUMB_SYMBOL_NAMES_RUNNING_KERNEL_H

#include "base/error.h"
#include "base/text.h"
#include "symbol/kernel_ahead.h"
#include "symbol/names/kept_kallsyms.h"
#include "system/sysroot.h"

struct running_kernel {
    struct kept_kallsyms kept; /* what was found before; or else, with kept.count 0 … */
    struct symbol_index index; /* … what was found now, … */
    struct text text;          /* … whose names point into this */
    uint64_t text_addr;        /* where its code begins; 0: it doesn't say */
};

/* Errors: the file can't be read; ERROR_PERMISSION, with the remedy, when it hides addresses; ERROR_FORMAT. */
MUST_CHECK bool running_kernel_read(const struct sysroot *root, struct running_kernel *ret_names, struct error *err);
void running_kernel_done(struct running_kernel *names);

/* What was read ahead, once it is there; whoever comes second reads it anew. Errors: as running_kernel_read. */
MUST_CHECK bool kernel_ahead_take(struct kernel_ahead *ahead, struct running_kernel *ret_names, struct error *err);

#endif
