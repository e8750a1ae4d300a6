/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large does a sentence say that a gap is: "12 % slower", "20 to 40 % longer", "1.3x slower", "half as fast"?
 *
 * Whether a share is of the faster side's time or of its speed is often not told: the answer spans both.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_GAP_H
#define PLUMB_ANALYSE_TOLD_TOLD_GAP_H

#include "statistics/interval.h"

#include <stdbool.h>

struct reading;

/* Of the time, 0..1. What a change made slower is no gap that was there before. */
bool told_gap_of(const struct reading *reading, struct interval *ret_gap);
/* Of a plain sentence that is known to be about one: what its numbers say. */
bool told_gap_numbers(const char *plain, struct interval *ret_gap);

#endif
