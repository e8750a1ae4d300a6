/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which stretches of code does the estimate look at: hot loops, and what of a function is in none. Internal to
 * bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_REGION_H
#define PLUMB_ANALYSE_BOTTLENECK_REGION_H

#include "analyse/bottleneck/bottleneck.h"

struct region {
    uint32_t function;
    const struct stall_code *code;
    struct loop_rows rows;   /* of its loop, inner loops with regions of their own excepted; or of the function */
    bool is_loop;
    uint64_t samples;        /* stalled in it */
    const uint32_t *region_of_row; /* of the function */
    uint32_t index;          /* of this region there */
};

struct regions {
    struct region *items; /* most samples first */
    size_t count;
};

bool region_holds(const struct region *region, uint32_t row);
/* Loops with at least `share_least` of all samples; smaller ones fall to the loop around them. Owner: arena. */
void regions_find(struct regions *regions, const struct stalls *stalls, double share_least, struct arena *arena);

#endif
