/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/huge_page_supply.h"
#include "system/memory/page_nodes.h"
#include "system/memory/process_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena);
    struct page_area *areas;
    size_t count;
    struct error err;
    if (page_areas_parse((struct view){(const char *)data, size}, &areas, &count, &arena, &err)) {
        struct process_pages pages = {.method = PAGE_METHOD_SMAPS, .base_page_bytes = 4096, .areas = areas, .area_count = count};
        for (size_t at = 0; at < count; at++)
            process_pages_size_at(&pages, areas[at].start);
    }
    struct page_nodes nodes = {0};
    page_nodes_parse(&nodes, (struct view){(const char *)data, size});
    struct huge_page_supply supply = {0};
    page_mounts_parse(&supply, (struct view){(const char *)data, size}, &arena);
    page_mount_of(&supply, "/dev/shm/some file");
    arena_done(&arena);
    return 0;
}
