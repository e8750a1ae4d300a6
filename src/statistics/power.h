/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How small an effect could these runs have shown, and how many runs would a given one take?
 *
 * From an interval that was measured: its half width shrinks with the square root of the pairs. An effect is called
 * detectable when it would be told from none four times in five.
 */
#ifndef PLUMB_STATISTICS_POWER_H
#define PLUMB_STATISTICS_POWER_H

#include "statistics/interval.h"

/* ratio: a known 95 % interval of a ratio. The smallest |ratio - 1| that as many pairs would show. */
double ratio_detectable(const struct interval *ratio);
/* Pairs after which a difference of `effect` (0.01: one per cent) would be shown, given ratio from pair_count pairs. */
double pairs_needed(const struct interval *ratio, size_t pair_count, double effect);

#endif
