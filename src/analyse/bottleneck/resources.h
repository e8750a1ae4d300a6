/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which resource of the core would a turn of the loop use up first if nothing waited? By analyse/loop's tables of this
 * core; where there are none, by what cores since 2015 have at least: 4 instructions a cycle, 2 loads, 1 store, 2 units
 * for floating point, 1 for what is multiplied, shuffled or summed up by checks. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_RESOURCES_H
#define PLUMB_ANALYSE_BOTTLENECK_RESOURCES_H

#include "analyse/bottleneck/region.h"
#include "analyse/loop/loop_bound.h"

struct resources { /* cycles a turn */
    double issue, loads, stores, fp, single;
    struct loop_bound bound; /* by the tables of this core, where there are some; else unknown */
};

struct resources resources_of(const struct bottleneck_request *request, const struct region *region);
/* RETIRING when issue comes first, FP or PORTS, or what the longest chain of results is made of. */
enum bottleneck_cause resources_first(const struct resources *resources);
/* … where that chain is surely what a turn takes longest for; else UNKNOWN. */
enum bottleneck_cause resources_chain(const struct resources *resources);

#endif
