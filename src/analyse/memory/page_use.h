/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which page sizes does that lie which a program really touches: the data it waits for, the code it runs?
 *
 * Joins the addresses that sampled loads and stores went to (analyse/stall/stalls), and the sampled instructions' own,
 * with the page map of their process. Addresses whose page isn't known are counted as such, never spread over the rest.
 */
#ifndef PLUMB_ANALYSE_MEMORY_PAGE_USE_H
#define PLUMB_ANALYSE_MEMORY_PAGE_USE_H

#include "analyse/stall/stalls.h"

struct page_hits {
    uint64_t base, huge, unknown; /* samples: on base pages; on larger ones; on pages not known */
    struct interval base_share;   /* of those whose page is known, Wilson; unknown where there are none */
};

struct page_use {
    struct page_hits data, code;
    const struct stall_group *busiest; /* most data addresses on base pages, or NULL */
};

/* recording NULL: the case has none, and nothing is known of code. */
struct page_use page_use_of(const struct stalls *stalls, const struct recording *recording,
                            const struct process_pages *pages, size_t pages_count);

#endif
