/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a function that no symbol names tell of itself? The class whose virtual function it is; the name that its
 * own assertions print; the name beside it in a table of records; the algorithm whose constants it refers to; the
 * source file that most of its panics print (Rust); or a text that it refers to, as a message has. What it tells is
 * true of it or of what was inlined into it.
 *
 * Texts are looked for in the function and in the part of it that the compiler set apart as seldom run. x86-64.
 * Does not support: classes of binaries at fixed addresses; texts of languages that don't end them by a zero, but for
 * Rust's file names.
 */
#ifndef PLUMB_SYMBOL_FUNCTION_REMARK_H
#define PLUMB_SYMBOL_FUNCTION_REMARK_H

#include "symbol/symboliser.h"

struct function_remarks;

/* NULL: its code can't be read here. Owner: the caller (_free). */
struct function_remarks *function_remarks_new(struct symboliser *symboliser, const struct recording *recording);
void function_remarks_free(struct function_remarks *remarks);
/*
 * What a function of a dso tells, in words: "a virtual function of Shape", "refers to "bad symbol"". columns: how long
 * it may be. NULL: nothing. Owner: arena.
 */
const char *function_remark(struct function_remarks *remarks, uint32_t dso, uint64_t dso_addr, uint64_t size_bytes,
                            size_t columns, struct arena *arena);

/*
 * The function that code belongs to which the compiler set apart as seldom run: it begins with a stack frame that
 * stands already, and jumps back into that function's middle. Returns false when it is a function itself, or doesn't
 * tell.
 */
bool function_set_apart_from(struct function_remarks *remarks, uint32_t dso, uint64_t dso_addr, uint64_t size_bytes,
                             uint64_t *ret_dso_addr);

#endif
