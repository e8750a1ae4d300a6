/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the culprit the one thing to say, or is another cause, certain or estimated, as large or larger? */
#ifndef PLUMB_FINDING_VERDICT_WEIGHING_H
#define PLUMB_FINDING_VERDICT_WEIGHING_H

#include "finding/hypothesis.h"

/* Below a fifth: what else takes the time is said, too. Below a tenth it is no answer to where the time goes. */
bool is_small(const struct finding *culprit);
bool is_tiny(const struct finding *culprit);
/* No large part of the time, and less than half of that share. */
bool is_less_than(const struct finding *culprit, double share);
/* Most of the time is something else. */
bool leaves_most(const struct finding *culprit);
/* Another cause with far more to return, or that weighs as much; NULL: none. Owner: the findings. */
const struct finding *far_larger(const struct finding *culprit, const struct findings *findings);
const struct finding *like_weight(const struct finding *culprit, const struct findings *findings);
/*
 * The estimate's cause of like weight or larger, in a sentence; NULL: none, or probes measured that it returns far
 * less.
 * Owner: arena.
 */
const char *estimated_beside(const struct finding *culprit, const struct findings *findings,
                             const struct results *results, struct arena *arena);
/* The estimate lays more than twice as much, and most of the time, at a cause that leads before it. */
bool is_less_than_estimate(const struct finding *culprit, const struct results *results);
/* A function, or a binary, that the cause lies outside of has most of the time, and more than twice as much. */
bool is_less_than_place(const struct finding *culprit, const struct results *results);

#endif
