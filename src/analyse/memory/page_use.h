/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which page sizes do the addresses lie that the program really waits for?
 *
 * Takes data addresses (analyse/data_address, or sampled ones) and the page map of the process. Addresses
 * whose page isn't known are counted as such, never spread over the rest.
 */
#ifndef PLUMB_ANALYSE_MEMORY_PAGE_USE_H
#define PLUMB_ANALYSE_MEMORY_PAGE_USE_H

#include "base/arena.h"
#include "statistics/interval.h"
#include "system/memory/process_pages.h"

struct page_use_row { /* one mapping that was hit */
    const struct page_area *area;
    uint64_t base_hits, huge_hits, unknown_hits; /* addresses by page size: base page; larger; not known */
};

struct page_use {
    uint64_t address_count;
    uint64_t base_hits, huge_hits, unknown_hits, unmapped_hits;
    struct interval base_share; /* of the addresses whose page size is known, Wilson */
    struct page_use_row *rows;  /* most hits first; owner: arena */
    size_t row_count;
};

struct page_use page_use_of(const uint64_t *addresses, size_t count, const struct process_pages *pages,
                            struct arena *arena);

#endif
