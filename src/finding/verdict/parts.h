/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where no function has much of the time: the calls that it parts into, by their own names, with all that they call. */
#ifndef PLUMB_FINDING_VERDICT_PARTS_H
#define PLUMB_FINDING_VERDICT_PARTS_H

#include "finding/results.h"

/*
 * "Below serve its CPU time goes into parse (18 to 22 %) and answer (…), with all that they call. answer calls strtod
 * (75 % of that).", or, where paths aren't known to their beginning, "With all that each calls, parse has 18 to 22 % of
 * its time outside the kernel.". NULL: one function says it, or no paths are known. Owner: arena.
 */
const char *parts_said(const struct results *results, struct arena *arena);

#endif
