/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In folios of which sizes does memory lie that is mapped page by page?
 *
 * Between one page and 2 MiB the kernel may keep memory in larger pieces (mTHP, large folios of the page cache), which
 * page tables don't show but TLBs that join entries use. Looked up by frame flags, which takes CAP_SYS_ADMIN. Pages are
 * drawn at random, each with the same chance, or all are taken.
 * Source: Documentation/admin-guide/mm/pagemap.rst.
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_FOLIOS_H
#define PLUMB_SYSTEM_MEMORY_PAGE_FOLIOS_H

#include "system/memory/process_pages.h"

enum { FOLIO_ORDERS = 10 }; /* 1 to 512 pages; larger ones count as 512 */

struct page_folios {
    uint64_t pages[FOLIO_ORDERS]; /* of those looked at, by the order of their folio */
    uint64_t looked_at, vanished; /* vanished: no longer present, or moved while it was looked at */
    bool all;                     /* every page mapped by a base entry */
    char why_not[160];            /* why nothing was looked at, or "" */
};

/* most 0: all pages. Takes ranges: with PAGE_METHOD_SMAPS it says why not. */
void page_folios_read(struct page_folios *folios, const struct sysroot *root, const struct process_pages *pages,
                      uint64_t most, uint64_t seed);

#endif
