/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/page_walk_spread.h"

#include <math.h>

static const double DEVIATIONS_MOST = 3 * 1.4826;

struct batch {
    double small, huge, work;
};

static struct batch batch_of(const struct page_walk_blocks *blocks, size_t batch)
{
    size_t first = batch * PAGE_WALK_BATCH;
    return (struct batch){quantile(&blocks->small[first], PAGE_WALK_BATCH, 0.5),
                          quantile(&blocks->huge[first], PAGE_WALK_BATCH, 0.5),
                          quantile(&blocks->work[first], PAGE_WALK_BATCH, 0.5)};
}

static double ratio_in(const struct batch *batch)
{
    return batch->huge / batch->small;
}

static double wait_in(const struct batch *batch)
{
    double small = batch->small - batch->work, huge = batch->huge - batch->work;
    if (small <= 0)
        return 1; /* no wait to be shortened */
    return huge > 0 ? huge / small : 0;
}

static struct interval usual_range(const double *values, size_t count)
{
    double away[PAGE_WALK_BLOCKS_MOST / PAGE_WALK_BATCH], mid = quantile(values, count, 0.5);
    for (size_t at = 0; at < count; at++)
        away[at] = fabs(values[at] - mid);
    double most = DEVIATIONS_MOST * quantile(away, count, 0.5);
    struct interval range = interval_exactly(mid);
    for (size_t at = 0; at < count; at++) {
        if (away[at] > most)
            continue;
        range.low = fmin(range.low, values[at]);
        range.high = fmax(range.high, values[at]);
    }
    return range;
}

static struct interval spread_of(const struct page_walk_blocks *blocks, double (*value_of)(const struct batch *))
{
    double values[PAGE_WALK_BLOCKS_MOST / PAGE_WALK_BATCH];
    size_t count = blocks->count / PAGE_WALK_BATCH;
    for (size_t at = 0; at < count; at++) {
        struct batch batch = batch_of(blocks, at);
        values[at] = value_of(&batch);
    }
    return count ? usual_range(values, count) : (struct interval){0};
}

struct interval page_walk_ratio_spread(const struct page_walk_blocks *blocks)
{
    return spread_of(blocks, ratio_in);
}

struct interval page_walk_wait_spread(const struct page_walk_blocks *blocks)
{
    return spread_of(blocks, wait_in);
}
