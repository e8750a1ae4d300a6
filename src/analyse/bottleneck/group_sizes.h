/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One number for one thing: how far an access reaches is counted for the groups of stalls by their addresses, and by
 * the estimate, which knows what the code goes over as well. Where both looked at one instruction the estimate's number
 * is what all sentences say; not where it is of one pass of many.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_GROUP_SIZES_H
#define PLUMB_ANALYSE_BOTTLENECK_GROUP_SIZES_H

#include "analyse/bottleneck/bottleneck.h"

void group_sizes_settle(struct stalls *stalls, const struct bottleneck *bottleneck);

#endif
