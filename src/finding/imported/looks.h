/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where most of a program's threads stood when somebody looked at their stacks, and which of its commands a server is
 * busy with, as it counts them itself; and what to do about it.
 */
#ifndef PLUMB_FINDING_IMPORTED_LOOKS_H
#define PLUMB_FINDING_IMPORTED_LOOKS_H

#include "finding/hypothesis.h"

/* "8 of 10 stacks are in parse_exp, called by regcomp (…)"; NULL: no stacks were read. Owner: arena. */
const char *imported_looks_words(const struct results *results, struct arena *arena);
/* NULL: no stacks were read. */
const char *imported_looks_advice(const struct results *results);
/* "of the time in its commands 91 % is keys, 1840 calls of 411 ms (…)"; NULL: none has most. Owner: arena. */
const char *imported_command_words(const struct results *results, struct arena *arena);
/* NULL: none has most. */
const char *imported_command_advice(const struct results *results);

#endif
