/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where most of a program's threads stood when somebody looked at their stacks, and what to do about it. */
#ifndef PLUMB_FINDING_IMPORTED_LOOKS_H
#define PLUMB_FINDING_IMPORTED_LOOKS_H

#include "finding/hypothesis.h"

/* "8 of 10 stacks are in parse_exp, called by regcomp (…)"; NULL: no stacks were read. Owner: arena. */
const char *imported_looks_words(const struct results *results, struct arena *arena);
/* NULL: no stacks were read. */
const char *imported_looks_advice(const struct results *results);

#endif
