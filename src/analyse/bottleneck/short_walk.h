/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a loop that counts through memory end after a few lines each time, by what it compares its place with? Then the
 * code alone doesn't say that it walks: where each entry begins does. Internal to bottleneck.
 *
 * Knows comparisons of the register that moves with one that stays, or with a number, right before the jump back; and
 * of one that counts beside it with a number, before a branch that leaves the loop. x86 only.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_SHORT_WALK_H
#define PLUMB_ANALYSE_BOTTLENECK_SHORT_WALK_H

#include "analyse/bottleneck/region.h"

/*
 * Nearly all samples of the loop find the place of `row`'s access within a few lines of its end. False, too, where that
 * isn't known.
 */
bool walk_is_short(const struct bottleneck_request *request, const struct region *region, uint32_t row);

#endif
