/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table_memory.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

void *table_memory_alloc(size_t count, size_t slot_bytes)
{
    size_t size_bytes = memory_product(count, slot_bytes);
    void *block = size_bytes >= HUGE_PAGE_BYTES && size_bytes % HUGE_PAGE_BYTES == 0 ? aligned_alloc(HUGE_PAGE_BYTES, size_bytes) : NULL;
    if (!block)
        return memory_alloc(size_bytes);
    madvise(block, size_bytes, MADV_HUGEPAGE); /* refused: then on small pages */
    return memset(block, 0, size_bytes);
}
