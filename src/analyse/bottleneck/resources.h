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
    /* of code that is in no loop, or of a long turn, once through; unknown where samples lie aside of it */
    struct straight_bound straight;
    double split_ratio; /* of its loads, across two lines; the bound has them twice */
};

struct resources resources_of(const struct bottleneck_request *request, const struct region *region);
/* RETIRING when issue comes first, FP or PORTS, or what the longest chain of results is made of. */
enum bottleneck_cause resources_first(const struct resources *resources);
/* … where that chain is surely what a turn takes longest for; else UNKNOWN. */
enum bottleneck_cause resources_chain(const struct resources *resources);

/* Whether straight code waits for its own results, by this core's costs. */
enum straight_wait {
    STRAIGHT_NOT,  /* or not known */
    STRAIGHT_OPEN, /* if each time through waits for the one before */
    STRAIGHT_SURE  /* also if none does: it is longer than a core looks ahead */
};

enum straight_wait resources_straight(const struct resources *resources);
/* Its chains of results are known to take no longer than issue and units do; counting turns is no such chain. */
bool resources_chains_are_short(const struct resources *resources);

#endif
