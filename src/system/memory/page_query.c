/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/page_query.h"

#include "base/scope.h"
#include "system/memory/page_frames.h"

#include <sys/ioctl.h>

/* include/uapi/linux/fs.h since Linux 6.11; Debian 12's headers are older. */
struct map_query {
    uint64_t size, flags, address;
    uint64_t start, end, mapping_flags, page_bytes, offset, inode;
    uint32_t device_major, device_minor, name_size, build_id_size;
    uint64_t name, build_id;
};

#define QUERY_IOCTL _IOWR('f', 17, struct map_query)

static bool size_query(const struct kernel *kernel, int fd, struct page_area *area)
{
    struct map_query query = {.size = sizeof(query), .address = area->start};
    if (kernel->ioctl(kernel->context, fd, QUERY_IOCTL, (uintptr_t)&query) < 0)
        return false;
    area->kernel_page_bytes = query.page_bytes;
    return true;
}

bool page_query_sizes(const struct sysroot *root, const struct kernel *kernel, struct process_pages *pages)
{
    scoped_fd int fd = sysroot_is_live(root) ? sysroot_open(root, "/proc/%d/maps", pages->pid) : -1;
    if (fd < 0)
        return false;
    bool all = true;
    for (size_t at = 0; all && at < pages->area_count; at++) {
        struct page_area *area = &pages->areas[at];
        area->kernel_page_bytes = pages->base_page_bytes;
        /* Smaller ones can't be of larger pages; [vsyscall] is no mapping to the query. */
        if (area->end - area->start >= HUGE_PAGE_BYTES)
            all = size_query(kernel, fd, area);
    }
    return all;
}
