/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which page sizes do the addresses lie that a program really waits for?
 *
 * Joins the addresses that sampled loads and stores went to (analyse/code/stalls) with the page map of their process. Addresses whose
 * page isn't known are counted as such, never spread over the rest.
 */
#ifndef PLUMB_ANALYSE_MEMORY_PAGE_USE_H
#define PLUMB_ANALYSE_MEMORY_PAGE_USE_H

#include "analyse/code/stalls.h"

struct page_use {
    uint64_t base_hits, huge_hits, unknown_hits; /* addresses on base pages; on larger ones; on pages not known */
    struct interval base_share;                  /* of those whose page is known, Wilson; unknown where there are none */
    const struct stall_group *busiest;           /* most addresses on base pages, or NULL */
};

struct page_use page_use_of(const struct stalls *stalls);

#endif
