/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is more code hot than its cache holds? Then samples fall where a line of code begins, since that is what was waited for:
 * in the last or first bytes of a line, by their addresses alone. Internal to bottleneck.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H
#define PLUMB_ANALYSE_BOTTLENECK_FOOTPRINT_H

#include "analyse/bottleneck/bottleneck.h"

struct footprint {
    double samples;    /* of user code */
    double line_share; /* of them: within 8 bytes of the beginning of a line of 64; 0.25 if evenly */
    double addresses;  /* distinct ones that hold 98 % of them */
    double bytes;      /* of the lines that hold 98 %, times 64: the least that is hot */
};

struct footprint footprint_of(const struct bottleneck_request *request);
bool footprint_speaks(const struct footprint *footprint);

#endif
