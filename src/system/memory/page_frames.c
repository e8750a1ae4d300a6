/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_frames.h"

#include <unistd.h>

enum {
    WINDOW = 512, /* a folio is aligned to its size, and at most that many frames are looked at */
    FLAG_COMPOUND_HEAD = 1 << 15,
    FLAG_COMPOUND_TAIL = 1 << 16,
};

bool page_entries_read(int pagemap_fd, uint64_t first, uint64_t *ret_entries, size_t count, bool *ret_frames_shown)
{
    size_t bytes = count * sizeof(*ret_entries);
    if (pread(pagemap_fd, ret_entries, bytes, (off_t)(first * sizeof(*ret_entries))) != (ssize_t)bytes)
        return false;
    *ret_frames_shown = true;
    for (size_t at = 0; at < count; at++)
        if (page_entry_present(ret_entries[at]) && !page_frame_of(ret_entries[at]))
            *ret_frames_shown = false;
    return true;
}

uint64_t page_folio_frames(int flags_fd, uint64_t frame)
{
    uint64_t flags[WINDOW], first = frame / WINDOW * WINDOW;
    ssize_t read_bytes = pread(flags_fd, flags, sizeof(flags), (off_t)(first * sizeof(flags[0])));
    size_t known = read_bytes > 0 ? (size_t)read_bytes / sizeof(flags[0]) : 0, at = frame - first;
    if (at >= known)
        return 0;
    size_t head = at, end = at + 1;
    while (head > 0 && flags[head] & FLAG_COMPOUND_TAIL)
        head--;
    if (flags[head] & FLAG_COMPOUND_TAIL)
        return WINDOW; /* its head lies before the window: larger than 2 MiB */
    if (!(flags[head] & FLAG_COMPOUND_HEAD))
        return 1;
    while (end < known && flags[end] & FLAG_COMPOUND_TAIL)
        end++;
    return end - head;
}
