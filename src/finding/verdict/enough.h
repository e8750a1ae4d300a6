/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is there enough of it to say anything, and how is there more to be had? */
#ifndef PLUMB_FINDING_VERDICT_ENOUGH_H
#define PLUMB_FINDING_VERDICT_ENOUGH_H

#include "finding/results.h"

#define ENOUGH_SAMPLES   50
#define ENOUGH_CPU_S     0.1
#define ENOUGH_ELAPSED_S 0.1 /* of what is told by looks and moments */

bool is_too_short(const struct results *results);
/*
 * It used its CPU time out of our sight: at the exec of a program that its user may not read, or that is setuid, the
 * kernel takes the events away. Nothing longer would show more.
 */
bool is_unseen(const struct results *results);
/* How to get more of the same: so many runs, or to watch it longer. Owner: arena. */
const char *enough_longer(const struct results *results, struct arena *arena);

#endif
