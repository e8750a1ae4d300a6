/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions is an estimated cause in? What the estimate lays at it may be one function's, or lie in many, of
 * which the one that leads has a small part.
 */
#ifndef PLUMB_FINDING_ESTIMATED_PLACE_H
#define PLUMB_FINDING_ESTIMATED_PLACE_H

#include "finding/hypothesis.h"

struct estimated_place {
    const char *function; /* "hot"; "its code", where it is in several, or nobody knows in which */
    const char *parts;    /* ", in hot (18 %), warm (12 %) and more", the largest first; "": in one */
};

/* causes: bits by enum bottleneck_cause. share: what is said of all of it; the parts add up to it at most. */
struct estimated_place estimated_place_of(const struct results *results, unsigned causes, struct interval share,
                                          struct arena *arena);

#endif
