/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_ranges.h"

#include "system/memory/page_frames.h"

#include <sys/ioctl.h>

enum { SCAN_REGIONS = 1024 };

/* include/uapi/linux/fs.h since Linux 6.7; Debian 12's headers are older. */
struct scan_request {
    uint64_t size, flags, start, end, walk_end, regions, region_count, pages_most;
    uint64_t category_inverted, category_mask, category_any_mask, return_mask;
};

struct scan_region {
    uint64_t start, end, categories;
};

enum {
    SCAN_PRESENT = 1 << 3,
    SCAN_SWAPPED = 1 << 4,
    SCAN_HUGE = 1 << 6,
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_request)

static uint64_t large_page_bytes(const struct page_area *area)
{
    return area->kernel_page_bytes > HUGE_PAGE_BYTES ? area->kernel_page_bytes : HUGE_PAGE_BYTES;
}

/* Ranges of two areas stay two. */
static void range_add(page_range_vec *ranges, const struct page_area *area, uint64_t start, uint64_t end,
                      uint64_t page_bytes)
{
    struct page_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->end == start && start != area->start && last->page_bytes == page_bytes)
        last->end = end;
    else
        *vec_push(ranges) = (struct page_range){start, end, page_bytes};
}

bool page_ranges_scan(const struct kernel *kernel, int pagemap_fd, const struct page_area *area,
                      uint64_t base_page_bytes, page_range_vec *ranges, uint64_t *swapped_bytes)
{
    struct scan_region regions[SCAN_REGIONS];
    for (uint64_t start = area->start; start < area->end;) {
        struct scan_request request = {.size = sizeof(request),
                                       .start = start,
                                       .end = area->end,
                                       .regions = (uintptr_t)regions,
                                       .region_count = SCAN_REGIONS,
                                       .category_any_mask = SCAN_PRESENT | SCAN_SWAPPED,
                                       .return_mask = SCAN_PRESENT | SCAN_SWAPPED | SCAN_HUGE};
        int found = kernel->ioctl(kernel->context, pagemap_fd, SCAN_IOCTL, (uintptr_t)&request);
        if (found < 0 || found > SCAN_REGIONS)
            return false;
        for (int at = 0; at < found; at++)
            if (regions[at].categories & SCAN_PRESENT)
                range_add(ranges, area, regions[at].start, regions[at].end,
                          regions[at].categories & SCAN_HUGE ? large_page_bytes(area) : base_page_bytes);
            else
                *swapped_bytes += regions[at].end - regions[at].start;
        if (request.walk_end <= start)
            return false;
        start = request.walk_end;
    }
    return true;
}

/*
 * The way by flags looks at every page, present or not: a reservation of terabytes (a sanitizer's shadow, a language's
 * heap) would take minutes. What smaps says of it has to do.
 */
#define BY_FLAGS_AREA_MOST (UINT64_C(64) << 30)

/* Whether the frames from `entries` on are one whole aligned huge folio, by the flags of its frames. */
static bool is_huge_folio(const uint64_t *entries, size_t pages, int flags_fd)
{
    uint64_t first = page_frame_of(entries[0]);
    if (first % pages)
        return false;
    for (size_t at = 1; at < pages; at++)
        if (!page_entry_present(entries[at]) || page_frame_of(entries[at]) != first + at)
            return false;
    return page_folio_frames(flags_fd, first) >= pages;
}

static void entries_add(const uint64_t *entries, size_t count, uint64_t addr, const struct page_area *area,
                        uint64_t base_page_bytes, int flags_fd, page_range_vec *ranges, uint64_t *swapped_bytes)
{
    size_t pages = HUGE_PAGE_BYTES / base_page_bytes;
    for (size_t at = 0; at < count;) {
        uint64_t here = addr + at * base_page_bytes;
        bool may_be_huge = here % HUGE_PAGE_BYTES == 0 && count - at >= pages && page_entry_present(entries[at]);
        size_t taken = may_be_huge && is_huge_folio(entries + at, pages, flags_fd) ? pages : 1;
        if (page_entry_present(entries[at]))
            range_add(ranges, area, here, here + taken * base_page_bytes,
                      taken > 1 ? large_page_bytes(area) : base_page_bytes);
        else if (page_entry_swapped(entries[at]))
            *swapped_bytes += base_page_bytes;
        at += taken;
    }
}

bool page_ranges_by_flags(int pagemap_fd, int flags_fd, const struct page_area *area, uint64_t base_page_bytes,
                          page_range_vec *ranges, uint64_t *swapped_bytes)
{
    uint64_t entries[PAGE_ENTRIES_AT_ONCE];
    if (area->end - area->start > BY_FLAGS_AREA_MOST)
        return true;
    for (uint64_t addr = area->start; addr < area->end;) {
        /* Up to a huge page's border each time, so that none is cut. */
        uint64_t border = addr / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES + PAGE_ENTRIES_AT_ONCE * base_page_bytes;
        uint64_t end = area->end < border ? area->end : border;
        size_t count = (end - addr) / base_page_bytes;
        bool frames_shown;
        if (!page_entries_read(pagemap_fd, addr / base_page_bytes, entries, count, &frames_shown) || !frames_shown)
            return false;
        entries_add(entries, count, addr, area, base_page_bytes, flags_fd, ranges, swapped_bytes);
        addr = end;
    }
    return true;
}
