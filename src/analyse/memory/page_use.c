/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/memory/page_use.h"

#include "base/scope.h"

#include <stdlib.h>

static uint64_t hits_of(const struct page_use_row *row)
{
    return row->base_hits + row->huge_hits + row->unknown_hits;
}

static int compare_rows(const void *a, const void *b)
{
    uint64_t left = hits_of(a), right = hits_of(b);
    return (left < right) - (left > right);
}

static void count_address(struct page_use *use, struct page_use_row *row, uint64_t page_bytes, uint64_t base_bytes)
{
    uint64_t *total = !page_bytes ? &use->unknown_hits : page_bytes > base_bytes ? &use->huge_hits : &use->base_hits;
    uint64_t *own = !page_bytes ? &row->unknown_hits : page_bytes > base_bytes ? &row->huge_hits : &row->base_hits;
    *total += 1;
    *own += 1;
}

struct page_use page_use_of(const uint64_t *addresses, size_t count, const struct process_pages *pages,
                            struct arena *arena)
{
    struct page_use use = {.address_count = count};
    scoped_free struct page_use_row *by_area = memory_alloc(memory_product(pages->area_count, sizeof(*by_area)));
    for (size_t at = 0; at < count; at++) {
        const struct page_area *area = process_pages_area(pages, addresses[at]);
        if (!area) {
            use.unmapped_hits++;
            continue;
        }
        struct page_use_row *row = &by_area[area - pages->areas];
        row->area = area;
        count_address(&use, row, process_pages_size_at(pages, addresses[at]), pages->base_page_bytes);
    }
    use.rows = arena_array(arena, struct page_use_row, pages->area_count);
    for (size_t at = 0; at < pages->area_count; at++)
        if (by_area[at].area)
            use.rows[use.row_count++] = by_area[at];
    qsort(use.rows, use.row_count, sizeof(*use.rows), compare_rows);
    double known = (double)(use.base_hits + use.huge_hits);
    use.base_share = wilson_interval((double)use.base_hits, known, known);
    return use;
}
