/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to measure next where tables and sentences of others support no cause. */
#ifndef PLUMB_FINDING_VERDICT_NEXT_IMPORTED_H
#define PLUMB_FINDING_VERDICT_NEXT_IMPORTED_H

#include "finding/verdict/overall.h"

/* Two steps at most, the one that tells most first. Owner of the texts: arena, or the wording. */
void advise_on_imported(struct overall *overall, const struct results *results, struct arena *arena);

/*
 * Who computes all the time on one CPU, while others stand idle and nothing waits for storage; NULL: nobody is told, or
 * a profile says more. Owner: arena.
 */
const char *imported_computing_words(const struct results *results, struct arena *arena);

#endif
