/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in /proc/PID/pagemap for a page, and how large is the folio that its frame belongs to?
 *
 * Frame numbers are shown only with CAP_SYS_ADMIN; else they read as 0. A folio's size is counted from the flags of the
 * frames around it (/proc/kpageflags), since none says it outright.
 * Source: Documentation/admin-guide/mm/pagemap.rst, include/uapi/linux/kernel-page-flags.h.
 */
#ifndef PLUMB_SYSTEM_MEMORY_PAGE_FRAMES_H
#define PLUMB_SYSTEM_MEMORY_PAGE_FRAMES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PAGE_ENTRIES_AT_ONCE = 8192,
    HUGE_PAGE_BYTES = 2 * 1024 * 1024,
};

static inline bool page_entry_present(uint64_t entry)
{
    return entry >> 63;
}

static inline bool page_entry_swapped(uint64_t entry)
{
    return !page_entry_present(entry) && (entry >> 62 & 1);
}

static inline uint64_t page_frame_of(uint64_t entry)
{
    return entry & ((UINT64_C(1) << 55) - 1);
}

/*
 * The entries of `count` pages from page number `first`; frames_shown: no present page hides its frame. False: can't be
 * read.
 */
MUST_CHECK bool page_entries_read(int pagemap_fd, uint64_t first, uint64_t *ret_entries, size_t count,
                                  bool *ret_frames_shown);
/* Frames of the folio (up to 2 MiB of it) that holds this one: 1 for a page of its own; 0: can't be told. */
uint64_t page_folio_frames(int flags_fd, uint64_t frame);

#endif
