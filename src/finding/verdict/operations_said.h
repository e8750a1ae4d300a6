/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hot code computes, by its instructions: said where neither a cause nor a name is the answer. */
#ifndef PLUMB_FINDING_VERDICT_OPERATIONS_SAID_H
#define PLUMB_FINDING_VERDICT_OPERATIONS_SAID_H

#include "finding/results.h"

/*
 * "By its instructions, 41 % of the samples lie in code that divides integers (div).", or NULL: too few lie in any that
 * tells. Owner: arena.
 */
const char *operations_said(const struct results *results, struct arena *arena);

#endif
