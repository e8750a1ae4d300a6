/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is more code hot than its cache holds? Then samples fall where a line of code begins, since that is what was waited for.
 * Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H
#define PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H

#include "analyse/bottleneck/region.h"

struct footprint {
    uint64_t samples;
    double line_share; /* of samples: at instructions that begin or straddle a line of 64 bytes */
    double line_base;  /* the share of such instructions in the code that was met */
    double addresses;  /* distinct instructions met */
    double bytes;      /* of code lines met, times 64: the least that is hot */
};

/* Of all user code. */
struct footprint footprint_of(const struct stalls *stalls);
bool footprint_speaks(const struct footprint *footprint);

#endif
