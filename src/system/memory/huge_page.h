/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is the policy for huge pages, and what came of it since boot? */
#ifndef PLUMB_SYSTEM_MEMORY_HUGE_PAGE_H
#define PLUMB_SYSTEM_MEMORY_HUGE_PAGE_H

#include "base/arena.h"
#include "system/fact.h"

enum { HUGE_PAGE_SIZES_MOST = 16 };

struct huge_page_size { /* a folio size of its own policy (kernel 6.8 and later) */
    int64_t kib;
    struct fact_word enabled, shmem_enabled;
};

struct huge_page {
    struct fact_word enabled, defrag, shmem_enabled;   /* "always", "madvise", "never" */
    struct fact_number khugepaged_defrag, khugepaged_pages_to_scan, khugepaged_scan_sleep_ms, khugepaged_collapsed;
    struct huge_page_size sizes[HUGE_PAGE_SIZES_MOST]; /* sorted */
    size_t size_count;
    struct fact_number fault_alloc, fault_fallback, collapse_alloc, collapse_alloc_failed, split_page; /* since boot */
    struct fact_number compact_stall, compact_fail;
    struct fact_number anonymous_kib, shmem_mapped_kib, file_kib; /* in use now */
    struct fact_number reserved_total, reserved_free, reserved_page_kib; /* hugetlb pool of the default size */
};

void huge_page_read(struct huge_page *page, const struct sysroot *root);

#endif
