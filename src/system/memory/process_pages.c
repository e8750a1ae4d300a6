/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/process_pages.h"

#include "base/partition_point.h"
#include "base/scope.h"
#include "base/vec.h"
#include "system/memory/page_frames.h"
#include "system/memory/page_query.h"
#include "system/memory/page_ranges.h"

#include <unistd.h>

typedef vec(struct page_area) area_vec;

/*
 * Fills the ranges, and gives back per area what is swapped out (owner: arena); NULL when the kernel doesn't tell it
 * that way.
 */
static uint64_t *ranges_find(struct process_pages *pages, enum page_method method, int pagemap_fd, int flags_fd,
                             const struct kernel *kernel, struct arena *arena)
{
    page_range_vec ranges = {0};
    uint64_t *swapped = arena_array(arena, uint64_t, pages->area_count + 1);
    bool found = true;
    for (size_t at = 0; found && at < pages->area_count; at++) {
        const struct page_area *area = &pages->areas[at];
        if (strcmp(area->path, "[vsyscall]") != 0)
            found =
                method == PAGE_METHOD_SCAN
                    ? page_ranges_scan(kernel, pagemap_fd, area, pages->base_page_bytes, &ranges, &swapped[at])
                    : page_ranges_by_flags(pagemap_fd, flags_fd, area, pages->base_page_bytes, &ranges, &swapped[at]);
    }
    if (found) {
        pages->ranges = arena_copy(arena, ranges.items, ranges.count * sizeof(*ranges.items));
        pages->range_count = ranges.count;
        pages->method = method;
    }
    vec_done(&ranges);
    return found ? swapped : NULL;
}

/* By the first way that works here; NULL: none does. */
static uint64_t *ranges_read(const struct sysroot *root, const struct kernel *kernel, struct process_pages *pages,
                             struct arena *arena)
{
    if (!sysroot_is_live(root))
        return NULL;
    scoped_fd int pagemap_fd = sysroot_open(root, "/proc/%d/pagemap", pages->pid);
    if (pagemap_fd < 0)
        return NULL;
    uint64_t *swapped = ranges_find(pages, PAGE_METHOD_SCAN, pagemap_fd, -1, kernel, arena);
    if (swapped)
        return swapped;
    scoped_fd int flags_fd = sysroot_open(root, "/proc/kpageflags");
    return flags_fd < 0 ? NULL : ranges_find(pages, PAGE_METHOD_FLAGS, pagemap_fd, flags_fd, kernel, arena);
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

static const char *const reserved_fields[] = {"Shared_Hugetlb:", "Private_Hugetlb:"};

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
    for (size_t at = 0; at < array_count(reserved_fields); at++)
        if (view_equal(key, reserved_fields[at]))
            area->resident_bytes += number * 1024;
    if (view_equal(key, "THPeligible:"))
        area->huge_eligible = number != 0;
}

/* hugetlb mappings don't count in Rss, but in lines of their own: everything there is of the kernel's page size. */
static void hugetlb_finish(struct page_area *area)
{
    if (area->kernel_page_bytes >= HUGE_PAGE_BYTES)
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

static bool areas_read(const struct sysroot *root, const char *file, struct process_pages *pages, struct arena *arena,
                       struct error *err)
{
    scoped_text struct text text = {0};
    if (sysroot_read(root, &text, err, "/proc/%d/%s", pages->pid, file) &&
        page_areas_parse(text_view(&text), &pages->areas, &pages->area_count, arena, err))
        return true;
    if (err->kind == ERROR_PERMISSION)
        (void)error_hint(
            err, "another user's process: as root, or with CAP_SYS_PTRACE (with CAP_PERFMON as well on some kernels)");
    return error_wrap(err, "page sizes of process %d", pages->pid);
}

bool process_pages_read(const struct sysroot *root, const struct kernel *kernel, pid_t pid,
                        struct process_pages *ret_pages, struct arena *arena, struct error *err)
{
    struct process_pages pages = {
        .pid = pid, .method = PAGE_METHOD_SMAPS, .base_page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    if (!areas_read(root, "smaps", &pages, arena, err))
        return false;
    (void)ranges_read(root, kernel, &pages, arena); /* smaps answers, too */
    keep_in_order(&pages);
    *ret_pages = pages;
    return true;
}

/* What smaps would say of the areas, from the ranges. */
static void areas_count(struct process_pages *pages, const uint64_t *swapped)
{
    size_t range = 0;
    for (size_t at = 0; at < pages->area_count; at++) {
        struct page_area *area = &pages->areas[at];
        area->swapped_bytes = swapped[at];
        for (; range < pages->range_count && pages->ranges[range].start < area->end; range++) {
            uint64_t bytes = pages->ranges[range].end - pages->ranges[range].start;
            area->resident_bytes += bytes;
            area->huge_bytes += pages->ranges[range].page_bytes > pages->base_page_bytes ? bytes : 0;
        }
    }
}

bool process_pages_read_split(const struct sysroot *root, const struct kernel *kernel, pid_t pid,
                              struct process_pages *ret_pages, struct arena *arena, struct error *err)
{
    struct process_pages pages = {
        .pid = pid, .method = PAGE_METHOD_SMAPS, .base_page_bytes = (uint64_t)sysconf(_SC_PAGESIZE)};
    if (!areas_read(root, "maps", &pages, arena, err))
        return false;
    keep_in_order(&pages);
    const uint64_t *swapped = page_query_sizes(root, kernel, &pages) ? ranges_read(root, kernel, &pages, arena) : NULL;
    if (!swapped)
        return process_pages_read(root, kernel, pid, ret_pages, arena, err);
    areas_count(&pages, swapped);
    *ret_pages = pages;
    return true;
}

const struct page_area *process_pages_area(const struct process_pages *pages, uint64_t addr)
{
    size_t low = partition_point(pages->areas, pages->area_count, item->end <= addr);
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
        return area->kernel_page_bytes > HUGE_PAGE_BYTES ? area->kernel_page_bytes : HUGE_PAGE_BYTES;
    return 0;
}

uint64_t process_pages_size_at(const struct process_pages *pages, uint64_t addr)
{
    if (pages->method == PAGE_METHOD_SMAPS)
        return size_by_area(pages, addr);
    size_t low = partition_point(pages->ranges, pages->range_count, item->end <= addr);
    bool holds = low < pages->range_count && pages->ranges[low].start <= addr;
    return holds ? pages->ranges[low].page_bytes : 0;
}
