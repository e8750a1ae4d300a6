/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a function keep values in registers from turn to turn of a loop? Unoptimised code doesn't: each of its
 * statements loads what it needs and stores what it has, whatever is volatile or not.
 *
 * Of a loop the straight code that its turns begin with is looked at.
 * Does not support: variables that gcc was asked to keep in registers (register long i).
 */
#ifndef PLUMB_ANALYSE_CODE_KEPT_VALUES_H
#define PLUMB_ANALYSE_CODE_KEPT_VALUES_H

#include "symbol/disassembly.h"

/* general: registers that may hold values, by number; those of the frame aren't among them. */
bool code_keeps_values(const struct instruction *rows, size_t count, uint64_t general);

#endif
