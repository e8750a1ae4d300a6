/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With which page size was a mapping made (hugetlb's 2 MiB and 1 GiB), without the cost of smaps? By PROCMAP_QUERY,
 * Linux 6.11.
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_QUERY_H
#define PLUMB_SYSTEM_MEMORY_PAGE_QUERY_H

#include "system/memory/process_pages.h"

/* Sets kernel_page_bytes of all areas. False: the kernel can't tell it so. */
MUST_CHECK bool page_query_sizes(const struct sysroot *root, const struct kernel *kernel, struct process_pages *pages);

#endif
