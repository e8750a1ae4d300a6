/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which resource of the core would a turn of the loop use up first if nothing waited? By what cores since 2015 have at
 * least: 4 instructions a cycle, 2 loads, 1 store, 2 units for floating point, 1 for what is multiplied, shuffled or
 * summed up by checks. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_RESOURCES_H
#define PLUMB_ANALYSE_BOTTLENECK_RESOURCES_H

#include "analyse/bottleneck/region.h"

struct resources { /* cycles a turn */
    double issue, loads, stores, fp, single;
};

struct resources resources_of(const struct region *region);
/* RETIRING when issue comes first, FP or PORTS. */
enum bottleneck_cause resources_first(const struct resources *resources);

#endif
