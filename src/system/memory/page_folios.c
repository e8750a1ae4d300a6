/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_folios.h"

#include "base/scope.h"
#include "system/memory/page_frames.h"

struct folio_reader {
    struct page_folios *folios;
    int pagemap_fd, flags_fd;
    uint64_t base_page_bytes;
};

/* Of the ranges, where no huge entries are, how many pages; the pages before each range are what a draw is found by. */
static uint64_t base_pages_count(const struct process_pages *pages)
{
    uint64_t count = 0;
    for (size_t at = 0; at < pages->range_count; at++)
        if (pages->ranges[at].page_bytes == pages->base_page_bytes)
            count += (pages->ranges[at].end - pages->ranges[at].start) / pages->base_page_bytes;
    return count;
}

static int order_of(uint64_t frames)
{
    int order = 0;
    while (frames > 1 && order < FOLIO_ORDERS - 1) {
        frames /= 2;
        order++;
    }
    return order;
}

static bool page_look(struct folio_reader *reader, uint64_t addr)
{
    uint64_t entry;
    bool shown;
    if (!page_entries_read(reader->pagemap_fd, addr / reader->base_page_bytes, &entry, 1, &shown)) {
        reader->folios->vanished++;
        return true;
    }
    if (!shown) {
        snprintf(reader->folios->why_not, sizeof(reader->folios->why_not),
                 "the kernel shows frame numbers to CAP_SYS_ADMIN only");
        return false;
    }
    uint64_t frames = page_entry_present(entry) ? page_folio_frames(reader->flags_fd, page_frame_of(entry)) : 0;
    reader->folios->looked_at++;
    if (frames)
        reader->folios->pages[order_of(frames)]++;
    else
        reader->folios->vanished++;
    return true;
}

/* xorshift64*: order doesn't matter much here, repeatability does. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* One page of each of `most` parts of equal size: as random as single draws, and in order of addresses. */
static void pages_draw(struct folio_reader *reader, const struct process_pages *pages, uint64_t count, uint64_t most,
                       uint64_t seed)
{
    uint64_t state = seed * 2 + 1, before = 0, drawn = 0;
    double part = (double)count / (double)most;
    uint64_t wanted = (uint64_t)((double)(next_random(&state) >> 11) * 0x1p-53 * part);
    for (size_t at = 0; at < pages->range_count; at++) {
        const struct page_range *range = &pages->ranges[at];
        if (range->page_bytes != pages->base_page_bytes)
            continue;
        uint64_t here = (range->end - range->start) / pages->base_page_bytes;
        for (; drawn < most && wanted < before + here; drawn++) {
            if (!page_look(reader, range->start + (wanted - before) * pages->base_page_bytes))
                return;
            wanted = (uint64_t)(((double)(drawn + 1) + (double)(next_random(&state) >> 11) * 0x1p-53) * part);
        }
        before += here;
    }
}

static void pages_walk(struct folio_reader *reader, const struct process_pages *pages)
{
    for (size_t at = 0; at < pages->range_count; at++)
        if (pages->ranges[at].page_bytes == pages->base_page_bytes)
            for (uint64_t addr = pages->ranges[at].start; addr < pages->ranges[at].end; addr += pages->base_page_bytes)
                if (!page_look(reader, addr))
                    return;
}

void page_folios_read(struct page_folios *folios, const struct sysroot *root, const struct process_pages *pages,
                      uint64_t most, uint64_t seed)
{
    *folios = (struct page_folios){.all = !most};
    scoped_fd int pagemap_fd = sysroot_open(root, "/proc/%d/pagemap", pages->pid);
    scoped_fd int flags_fd = sysroot_open(root, "/proc/kpageflags");
    uint64_t count = base_pages_count(pages);
    if (pagemap_fd < 0 || flags_fd < 0) {
        snprintf(folios->why_not, sizeof(folios->why_not), "/proc/%s can't be read: it takes CAP_SYS_ADMIN",
                 flags_fd < 0 ? "kpageflags" : "PID/pagemap");
        return;
    }
    if (pages->method == PAGE_METHOD_SMAPS) {
        snprintf(folios->why_not, sizeof(folios->why_not), "only smaps told of its pages, which knows no addresses");
        return;
    }
    struct folio_reader reader = {folios, pagemap_fd, flags_fd, pages->base_page_bytes};
    folios->all = !most || count <= most;
    if (folios->all)
        pages_walk(&reader, pages);
    else
        pages_draw(&reader, pages, count, most, seed);
}
