/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What blocks of a page walk say together. A block lasts milliseconds and a program seconds, so they are taken by
 * batches: each batch its medians, so that one block that something else disturbed says nothing; batches that stand far
 * from the others (three times what 1.4826 median absolute deviations are, which is a Gaussian's standard deviation)
 * are left out, but never more than half of them. Pure; times are nanoseconds an access.
 */
#ifndef PLUMB_PROBE_PAGE_WALK_SPREAD_H
#define PLUMB_PROBE_PAGE_WALK_SPREAD_H

#include "statistics/interval.h"

#include <stddef.h>

enum {
    PAGE_WALK_BLOCKS_MOST = 200,
    PAGE_WALK_BATCH = 6, /* blocks */
};

struct page_walk_blocks { /* measured one after another: small, huge and work of one index belong together */
    double small[PAGE_WALK_BLOCKS_MOST];
    double huge[PAGE_WALK_BLOCKS_MOST];
    double work[PAGE_WALK_BLOCKS_MOST]; /* the same instructions without the walk */
    double line[PAGE_WALK_BLOCKS_MOST]; /* a line in order */
    size_t count;
};

/*
 * The range over batches of huge / small, and of the waiting alone: (huge - work) / (small - work). Unknown: no whole
 * batch.
 */
struct interval page_walk_ratio_spread(const struct page_walk_blocks *blocks);
struct interval page_walk_wait_spread(const struct page_walk_blocks *blocks);

#endif
