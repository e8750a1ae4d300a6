/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/page_coverage.h"

#include "system/memory/page_frames.h"

#include <stdlib.h>

enum { GIGANTIC_BYTES = 1 << 30 };

static void sizes_add(struct page_sizes *sizes, uint64_t bytes, uint64_t page_bytes, bool hugetlb)
{
    *(page_bytes >= GIGANTIC_BYTES    ? &sizes->gigantic
      : page_bytes >= HUGE_PAGE_BYTES ? &sizes->huge
                                      : &sizes->base) += bytes;
    sizes->hugetlb += hugetlb && page_bytes >= HUGE_PAGE_BYTES ? bytes : 0;
}

static struct page_sizes sizes_of_area(const struct page_area *area, uint64_t base_page_bytes)
{
    struct page_sizes sizes = {.swapped = area->swapped_bytes};
    bool hugetlb = area->kernel_page_bytes >= HUGE_PAGE_BYTES;
    uint64_t huge = area->huge_bytes < area->resident_bytes ? area->huge_bytes : area->resident_bytes;
    sizes_add(&sizes, area->resident_bytes - huge, base_page_bytes, false);
    sizes_add(&sizes, huge, hugetlb ? area->kernel_page_bytes : HUGE_PAGE_BYTES, hugetlb);
    return sizes;
}

/*
 * Ranges know sizes; smaps' area sums stand in where there are none, as of reservations too large to look at page by
 * page.
 */
static struct page_sizes sizes_of(const struct process_pages *pages, const struct page_area *area, size_t *range)
{
    if (pages->method == PAGE_METHOD_SMAPS)
        return sizes_of_area(area, pages->base_page_bytes);
    struct page_sizes sizes = {.swapped = area->swapped_bytes};
    size_t first = *range;
    for (; *range < pages->range_count && pages->ranges[*range].start < area->end; ++*range)
        if (pages->ranges[*range].start >= area->start)
            sizes_add(&sizes, pages->ranges[*range].end - pages->ranges[*range].start, pages->ranges[*range].page_bytes,
                      area->kernel_page_bytes >= HUGE_PAGE_BYTES);
    return *range > first || pages->method == PAGE_METHOD_SCAN ? sizes : sizes_of_area(area, pages->base_page_bytes);
}

static int compare_mapping(const void *a, const void *b)
{
    const struct mapping_coverage *left = a, *right = b;
    if (left->sizes.base != right->sizes.base)
        return left->sizes.base < right->sizes.base ? 1 : -1;
    return (left->area->start > right->area->start) - (left->area->start < right->area->start);
}

/* The analysis of causes goes by the sums that stand beside it. */
static struct small_pages small_of(const struct mapping_coverage *mapping, uint64_t base_page_bytes,
                                   const struct huge_page *policy, const struct huge_page_supply *supply)
{
    struct page_area area = *mapping->area;
    area.huge_bytes = mapping->sizes.huge + mapping->sizes.gigantic;
    area.resident_bytes = area.huge_bytes + mapping->sizes.base;
    return small_pages_of(&area, base_page_bytes, policy, supply);
}

struct page_coverage page_coverage_of(const struct process_pages *pages, const struct huge_page *policy,
                                      const struct huge_page_supply *supply, struct arena *arena)
{
    struct page_coverage coverage = {.pages = pages, .mapping_count = pages->area_count, .why_known = policy && supply,
                                     .mappings = arena_array(arena, struct mapping_coverage, pages->area_count + 1)};
    size_t range = 0;
    for (size_t at = 0; at < pages->area_count; at++) {
        struct mapping_coverage *mapping = &coverage.mappings[at];
        mapping->area = &pages->areas[at];
        mapping->sizes = sizes_of(pages, mapping->area, &range);
        coverage.sizes.base += mapping->sizes.base;
        coverage.sizes.huge += mapping->sizes.huge;
        coverage.sizes.gigantic += mapping->sizes.gigantic;
        coverage.sizes.hugetlb += mapping->sizes.hugetlb;
        coverage.sizes.swapped += mapping->sizes.swapped;
        if (coverage.why_known)
            mapping->small = small_of(mapping, pages->base_page_bytes, policy, supply);
    }
    qsort(coverage.mappings, coverage.mapping_count, sizeof(coverage.mappings[0]), compare_mapping);
    return coverage;
}

struct interval page_folio_share(const struct page_folios *folios, int order)
{
    uint64_t known = folios->looked_at - folios->vanished;
    if (!known)
        return (struct interval){.known = false};
    double share = (double)folios->pages[order] / (double)known;
    return folios->all ? interval_exactly(share)
                       : wilson_interval((double)folios->pages[order], (double)known, (double)known);
}
