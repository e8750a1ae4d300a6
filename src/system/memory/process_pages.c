/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/process_pages.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    HUGE_BYTES = 2 * 1024 * 1024,
    SCAN_REGIONS = 1024,
};

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
    SCAN_HUGE = 1 << 6,
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_request)

typedef vec(struct page_range) range_vec;
typedef vec(struct page_area) area_vec;

static bool range_scan(const struct kernel *kernel, int fd, const struct page_area *area, uint64_t base_page_bytes,
                       range_vec *ranges)
{
    struct scan_region regions[SCAN_REGIONS];
    uint64_t large = area->kernel_page_bytes > HUGE_BYTES ? area->kernel_page_bytes : HUGE_BYTES;
    for (uint64_t start = area->start; start < area->end;) {
        struct scan_request request = {.size = sizeof(request),
                                       .start = start,
                                       .end = area->end,
                                       .regions = (uintptr_t)regions,
                                       .region_count = SCAN_REGIONS,
                                       .category_mask = SCAN_PRESENT,
                                       .return_mask = SCAN_PRESENT | SCAN_HUGE};
        int found = kernel->ioctl(kernel->context, fd, SCAN_IOCTL, (uintptr_t)&request);
        if (found < 0 || found > SCAN_REGIONS)
            return false;
        for (int at = 0; at < found; at++)
            *vec_push(ranges) = (struct page_range){
                .start = regions[at].start,
                .end = regions[at].end,
                .page_bytes = regions[at].categories & SCAN_HUGE ? large : base_page_bytes,
            };
        if (request.walk_end <= start)
            return false;
        start = request.walk_end;
    }
    return true;
}

/* Fill ranges by the ioctl; false when the kernel lacks it or refuses. */
static bool ranges_scan(const struct sysroot *root, const struct kernel *kernel, struct process_pages *pages,
                        struct arena *arena)
{
    if (!sysroot_is_live(root))
        return false;
    scoped_fd int fd = sysroot_open(root, "/proc/%d/pagemap", pages->pid);
    if (fd < 0)
        return false;
    range_vec ranges = {0};
    bool scanned = true;
    for (size_t at = 0; scanned && at < pages->area_count; at++)
        if (strcmp(pages->areas[at].path, "[vsyscall]") != 0)
            scanned = range_scan(kernel, fd, &pages->areas[at], pages->base_page_bytes, &ranges);
    if (scanned) {
        pages->ranges = arena_copy(arena, ranges.items, ranges.count * sizeof(*ranges.items));
        pages->range_count = ranges.count;
    }
    vec_done(&ranges);
    return scanned;
}

/* "start-end prot offset dev inode path"; false when the line is no mapping's head. */
static bool head_parse(struct view line, struct page_area *area, struct arena *arena)
{
    struct view rest = line, bounds = view_word(&rest), protection = view_word(&rest), offset = view_word(&rest);
    struct view start = view_cut(&bounds, '-');
    *area = (struct page_area){.huge_eligible = -1};
    if (!view_u64(start, 16, &area->start) || !view_u64(bounds, 16, &area->end) || area->end <= area->start ||
        protection.length != 4 || !view_u64(offset, 16, &area->file_offset))
        return false;
    memcpy(area->protection, protection.text, 4);
    view_word(&rest);
    view_word(&rest);
    struct view path = view_trim(rest);
    area->path = arena_string_n(arena, path.text, path.length);
    return true;
}

static const struct {
    const char *key;
    size_t offset;
} byte_fields[] = {
    {"Rss:", offsetof(struct page_area, resident_bytes)},
    {"Swap:", offsetof(struct page_area, swapped_bytes)},
    {"KernelPageSize:", offsetof(struct page_area, kernel_page_bytes)},
};

static const char *const huge_fields[] = {"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"};

static void flags_parse(struct view flags, struct page_area *area)
{
    for (struct view flag = view_word(&flags); flag.length; flag = view_word(&flags)) {
        area->advised_huge |= view_equal(flag, "hg");
        area->advised_never |= view_equal(flag, "nh");
    }
}

static void field_parse(struct view line, struct page_area *area)
{
    struct view key = view_word(&line);
    if (view_equal(key, "VmFlags:")) {
        flags_parse(line, area);
        return;
    }
    uint64_t number;
    if (!view_u64(view_word(&line), 10, &number) || number > UINT64_MAX / 1024)
        return;
    for (size_t at = 0; at < array_count(byte_fields); at++)
        if (view_equal(key, byte_fields[at].key))
            memcpy((char *)area + byte_fields[at].offset, &(uint64_t){number * 1024}, sizeof(uint64_t));
    for (size_t at = 0; at < array_count(huge_fields); at++)
        if (view_equal(key, huge_fields[at]))
            area->huge_bytes += number * 1024;
    if (view_equal(key, "THPeligible:"))
        area->huge_eligible = number != 0;
}

/* hugetlb mappings don't count in Rss: everything there is of the kernel's page size. */
static void hugetlb_finish(struct page_area *area)
{
    if (area->kernel_page_bytes < HUGE_BYTES)
        return;
    if (!area->resident_bytes)
        area->resident_bytes = area->end - area->start;
    area->huge_bytes = area->resident_bytes;
}

bool page_areas_parse(struct view smaps, struct page_area **ret_areas, size_t *ret_count, struct arena *arena,
                      struct error *err)
{
    area_vec areas = {0};
    struct view line;
    while (view_line(&smaps, &line)) {
        struct page_area area;
        if (head_parse(line, &area, arena)) {
            *vec_push(&areas) = area;
        } else if (areas.count) {
            field_parse(line, &areas.items[areas.count - 1]);
        } else {
            return error_set(err, ERROR_FORMAT, "smaps begins with '%.*s', not with a mapping",
                             (int)(line.length < 40 ? line.length : 40), line.text);
        }
    }
    vec_for_each(&areas, area)
        hugetlb_finish(area);
    *ret_areas = arena_copy(arena, areas.items, areas.count * sizeof(*areas.items));
    *ret_count = areas.count;
    vec_done(&areas);
    return true;
}

/* The file is read in pieces: what was mapped, moved or split meanwhile may come twice, or before its neighbour. */
static void keep_in_order(struct process_pages *pages)
{
    size_t areas = 0, ranges = 0;
    for (size_t at = 0; at < pages->area_count; at++)
        if (!areas || pages->areas[at].start >= pages->areas[areas - 1].end)
            pages->areas[areas++] = pages->areas[at];
    pages->area_count = areas;
    for (size_t at = 0; at < pages->range_count; at++)
        if (!ranges || pages->ranges[at].start >= pages->ranges[ranges - 1].end)
            pages->ranges[ranges++] = pages->ranges[at];
    pages->range_count = ranges;
}

bool process_pages_read(const struct sysroot *root, const struct kernel *kernel, pid_t pid,
                        struct process_pages *ret_pages, struct arena *arena, struct error *err)
{
    struct process_pages pages = {.pid = pid, .base_page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    scoped_text struct text smaps = {0};
    if (!sysroot_read(root, &smaps, err, "/proc/%d/smaps", pid) ||
        !page_areas_parse((struct view){text_string(&smaps), smaps.length}, &pages.areas, &pages.area_count, arena, err))
        return error_wrap(err, "page sizes of process %d", pid);
    pages.method = ranges_scan(root, kernel, &pages, arena) ? PAGE_METHOD_SCAN : PAGE_METHOD_SMAPS;
    keep_in_order(&pages);
    *ret_pages = pages;
    return true;
}

const struct page_area *process_pages_area(const struct process_pages *pages, uint64_t addr)
{
    size_t low = 0, high = pages->area_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pages->areas[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pages->area_count && pages->areas[low].start <= addr ? &pages->areas[low] : NULL;
}

static uint64_t size_by_area(const struct process_pages *pages, uint64_t addr)
{
    const struct page_area *area = process_pages_area(pages, addr);
    if (!area || !area->resident_bytes)
        return 0;
    if (area->huge_bytes == 0)
        return pages->base_page_bytes;
    if (area->huge_bytes >= area->resident_bytes)
        return area->kernel_page_bytes > HUGE_BYTES ? area->kernel_page_bytes : HUGE_BYTES;
    return 0;
}

uint64_t process_pages_size_at(const struct process_pages *pages, uint64_t addr)
{
    if (pages->method == PAGE_METHOD_SMAPS)
        return size_by_area(pages, addr);
    size_t low = 0, high = pages->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pages->ranges[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    bool holds = low < pages->range_count && pages->ranges[low].start <= addr;
    return holds ? pages->ranges[low].page_bytes : 0;
}
