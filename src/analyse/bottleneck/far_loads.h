/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a loop load from places beyond the nearest cache that don't follow one another, whichever of its instructions
 * the samples stand at? By addresses at every sample of the loop, from registers. Internal to bottleneck.
 *
 * Says how far they reach at least: walks that stay within a line or go on to the next one are none of these.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_FAR_LOADS_H
#define PLUMB_ANALYSE_BOTTLENECK_FAR_LOADS_H

#include "analyse/bottleneck/region.h"

bool loads_reach_far(const struct bottleneck_request *request, const struct region *region);

#endif
