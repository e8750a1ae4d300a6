/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where what is certain is small, or less than what the estimate lays most of the time at: what leads the sentence has
 * the first advice, the check and the first word on how sure it is. What is certain comes behind, by its name.
 */
#ifndef PLUMB_FINDING_VERDICT_LEADING_H
#define PLUMB_FINDING_VERDICT_LEADING_H

#include "finding/hypothesis.h"

/* "against time in system calls (6.7 to 8.4 % of the elapsed time): call it less often". NULL: it has no advice. */
const char *leading_small_advice(const struct finding *small, const struct results *results, struct arena *arena);

/* What the hot code is is nothing that its user could change: then that is the first to say. NULL: some of it is. */
const char *leading_foreign_advice(const struct results *results);

/*
 * How sure what leads is (a larger cause, else the estimate), before how sure the small one is. "": no samples. larger:
 * may be NULL. Owner: arena.
 */
const char *leading_confidence(const struct finding *larger, const struct results *results, struct arena *arena);

#endif
