/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory do accesses go over, and which: stretches with their share of lines and of pages, for one
 * instruction, and together for several?
 *
 * Addresses are counted in granules as wide as it takes for each to be met some times: then what was not met lies
 * outside, and the stretches between are the memory gone over, sequential walks included (whose samples collide, or
 * avoid one another, by the clock). How many lines within are touched: all, where the code says that it goes in order;
 * else by the birthday rule among addresses of one granule, lines met too often to be drawn evenly counted by
 * themselves. Where pairs are too few to tell, or what is left is not met evenly either, only the least that the lines
 * can be is known. Shape: a stretch narrower than memory gone over by other means. Does not support: fewer than 30
 * addresses.
 */
#ifndef PLUMB_ANALYSE_MEMORY_TOUCHED_MEMORY_H
#define PLUMB_ANALYSE_MEMORY_TOUCHED_MEMORY_H

#include "analyse/memory/working_set.h"
#include "base/arena.h"
#include "statistics/interval.h"

struct touched_stretch {
    uint64_t first, end;
    struct interval lines_ratio; /* of its lines, touched: 0..1 */
    struct interval pages_ratio;
    double edges_bytes;          /* how far its ends may lie outside */
};

struct touched_memory {
    bool known;                  /* there were enough addresses */
    struct interval lines_bytes; /* known: the ends are less than a factor of 4 apart */
    struct interval pages_bytes;
    double lines_least_bytes, pages_least_bytes;
    double lines_most_bytes;
    bool goes_once;              /* each part was met in one short while: nothing came back to it */
    struct touched_stretch *stretches; /* by address; owner: arena */
    size_t stretch_count;
};

/* addresses in time order. step_bytes: the code moves on by so much each turn; 0: it doesn't say. Owner: arena. */
struct touched_memory touched_memory_of(const struct timed_address *addresses, size_t count, uint64_t step_bytes,
                                        struct arena *arena);
/* Of several that may overlap. */
struct touched_memory touched_memory_joined(const struct touched_memory *parts, size_t count, struct arena *arena);

#endif
