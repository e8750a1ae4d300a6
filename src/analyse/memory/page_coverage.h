/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a process's memory is on which page size, in all, by mapping, and by folio? */
#ifndef PLUMB_ANALYSE_MEMORY_PAGE_COVERAGE_H
#define PLUMB_ANALYSE_MEMORY_PAGE_COVERAGE_H

#include "analyse/memory/small_pages.h"
#include "statistics/interval.h"
#include "system/memory/page_folios.h"
#include "system/memory/page_nodes.h"

struct page_sizes { /* bytes */
    uint64_t base, huge, gigantic; /* present: on the base page, 2 MiB, 1 GiB and more */
    uint64_t hugetlb;              /* of huge and gigantic: reserved pages */
    uint64_t swapped;
};

struct mapping_coverage {
    const struct page_area *area;
    struct page_sizes sizes;
    struct small_pages small;
};

struct page_coverage {
    const struct process_pages *pages;
    const char *command;            /* the process's name */
    struct page_sizes sizes;
    struct mapping_coverage *mappings; /* with most on base pages first; owner: arena */
    size_t mapping_count;
    bool why_known;                 /* the mappings' causes were looked for */
    const struct page_folios *folios; /* or NULL: not asked */
    const struct page_nodes *nodes; /* or NULL */
};

/* policy and supply NULL: causes aren't looked for. Owner of what it points to: arena and the caller's pages. */
struct page_coverage page_coverage_of(const struct process_pages *pages, const struct huge_page *policy,
                                      const struct huge_page_supply *supply, struct arena *arena);
/* Share of the memory on base entries that lies in folios of that order; exact (a point) when all were looked at. */
struct interval page_folio_share(const struct page_folios *folios, int order);

#endif
