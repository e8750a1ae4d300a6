/* SPDX-License-Identifier: GPL-3.0-or-later */
/* It mostly waits, or is kept from the CPUs: no problem of its code. */
#ifndef PLUMB_FINDING_VERDICT_AWAY_SAID_H
#define PLUMB_FINDING_VERDICT_AWAY_SAID_H

#include "finding/verdict/overall.h"

/*
 * It went to sleep by itself for most of the time, and whether it then slept or was ready again and others held the
 * CPUs is another question: in both cases a share of its little CPU time is no answer to why it takes so long.
 */
bool is_mostly_away(const struct results *results);
/* waiting: its finding; of overall_away it may be NULL. */
struct overall overall_away(const struct finding *waiting, const struct findings *findings,
                            const struct results *results, struct arena *arena);
struct overall overall_waits(const struct finding *waiting, const struct findings *findings,
                             const struct results *results, struct arena *arena);

#endif
