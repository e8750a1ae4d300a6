/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which share of the samples waits for walks of the page tables that 2 MiB pages would save, as probed beside the run?
 */
#ifndef PLUMB_FINDING_MEMORY_PAGE_WALKS_H
#define PLUMB_FINDING_MEMORY_PAGE_WALKS_H

#include "finding/results.h"

/* Its upper end holds what was not told apart, too. Unknown where nothing was sampled. */
struct interval page_walks_share(const struct results *results);
/*
 * The most that can wait for walks at all, whatever pages stand behind: what waits for memory, without patterns on so
 * few pages that no TLB misses them. Share of the samples. Unknown where nothing was sampled.
 */
struct interval page_walks_bound(const struct results *results);

#endif
