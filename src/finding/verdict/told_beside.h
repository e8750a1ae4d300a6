/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which other functions without a name have much of the time, and tell of themselves? A collector beside the program
 * that it works for is known by them alone.
 */
#ifndef PLUMB_FINDING_VERDICT_TOLD_BESIDE_H
#define PLUMB_FINDING_VERDICT_TOLD_BESIDE_H

#include "finding/results.h"

/*
 * "scheme+0x1d980 (refers to "sweep_object") has 14 % of its CPU time, scheme+0x12bc0 (…) 11 %.", or NULL: there are
 * none that the verdict so far doesn't name. Owner: arena.
 */
const char *told_beside(const struct results *results, const char *said, struct arena *arena);

#endif
