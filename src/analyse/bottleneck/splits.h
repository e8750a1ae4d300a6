/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many of a region's loads cross from one cache line into the next? Each of these takes a load unit twice. By the
 * sampled addresses and the size that the code says. Internal to bottleneck.
 *
 * Does not support: loads with too few addresses (taken to cross none), gathers, stores.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_SPLITS_H
#define PLUMB_ANALYSE_BOTTLENECK_SPLITS_H

#include "analyse/bottleneck/region.h"

/* Of the loads of its code, each counted once: 0..1. */
double splits_ratio(const struct bottleneck_request *request, const struct region *region);

#endif
