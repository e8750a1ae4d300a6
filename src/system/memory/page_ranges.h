/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which parts of a mapping are present, on which page size, and which are swapped out?
 *
 * By PAGEMAP_SCAN (Linux 6.7): the page tables themselves. By pagemap and kpageflags (CAP_SYS_ADMIN): an aligned, whole
 * 2 MiB folio counts as one huge page, though it may be mapped in small pieces, so it's an estimate from above. Source:
 * Documentation/admin-guide/mm/pagemap.rst, include/uapi/linux/kernel-page-flags.h.
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_RANGES_H
#define PLUMB_SYSTEM_MEMORY_PAGE_RANGES_H

#include "base/vec.h"
#include "system/memory/process_pages.h"

typedef vec(struct page_range) page_range_vec;

/*
 * Appends the present ranges of the area, and adds to *swapped_bytes what is swapped out. False: the kernel lacks it or
 * refuses.
 */
MUST_CHECK bool page_ranges_scan(const struct kernel *kernel, int pagemap_fd, const struct page_area *area,
                                 uint64_t base_page_bytes, page_range_vec *ranges, uint64_t *swapped_bytes);
/*
 * The same by page frame flags; of reservations beyond 64 GiB it finds nothing. False: no frame numbers are shown to
 * us, or a read failed.
 */
MUST_CHECK bool page_ranges_by_flags(int pagemap_fd, int flags_fd, const struct page_area *area,
                                     uint64_t base_page_bytes, page_range_vec *ranges, uint64_t *swapped_bytes);

#endif
