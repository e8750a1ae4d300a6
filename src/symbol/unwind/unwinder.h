/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who called whom when a sample was taken? Return addresses from the registers and the copy of the stack that a
 * sample carries, by the binaries' frame descriptions; where a function has none, by the first word of its stack that
 * is a return address from which descriptions lead on (x86-64), or by frame pointers.
 *
 * Rules are found once per instruction, and kept as what they change. Does not support: machines other than x86-64 and
 * AArch64, 32-bit programs, .debug_frame.
 */
#ifndef PLUMB_SYMBOL_UNWIND_UNWINDER_H
#define PLUMB_SYMBOL_UNWIND_UNWINDER_H

#include "symbol/symboliser.h"

struct unwinder;

struct unwinder_counts {
    uint64_t stacks, frames;
    uint64_t at_root;    /* stacks that were followed to where threads begin */
    uint64_t at_dump_end; /* that needed more of the stack than was copied */
    uint64_t lost;       /* that met code nobody describes */
};

/* Owner: the caller (unwinder_free). The symboliser finds the binaries and must outlive it. */
void unwinder_new(struct unwinder **ret_unwinder, struct symboliser *symboliser);
void unwinder_free(struct unwinder *unwinder);
/* NULL: nothing was unwound. */
struct unwinder_counts unwinder_counts(const struct unwinder *unwinder);

/*
 * The addresses of the frames of a sample in its address space, leaf first, at most `most`; returns how many. Those of
 * callers point into the call, one byte before the return address, so that they belong to the calling line.
 * 0 when the sample's machine is not supported or it carries no registers. Fits struct capture_unwinder.
 */
size_t unwinder_unwind(void *unwinder, const struct recording *recording, uint32_t space,
                       const struct record_sample *sample, uint64_t *ret_ips, size_t most);

#endif
