/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Would more of the same run tell more of it, and what is to be typed for that? */
#ifndef PLUMB_FINDING_VERDICT_FEW_SAMPLES_H
#define PLUMB_FINDING_VERDICT_FEW_SAMPLES_H

#include "finding/results.h"

/*
 * One line of advice, or NULL: nothing that matters lacks samples, or the program ended as it shouldn't. Owner: arena.
 */
const char *few_samples_advice(const struct results *results, struct arena *arena);

#endif
