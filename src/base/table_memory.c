/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table_memory.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HUGE_PAGE_BYTES = 2 << 20,
    FRESH_BYTES = 128 << 10, /* from here on it comes from the kernel, never written */
};

/*
 * A slot that is looked at before it is written brings the kernel's page of zeros first and one of its own afterwards;
 * that it isn't the same any longer each core must be told that runs the program. Written at once, it is its own from
 * the beginning.
 */
static void *written_alloc(size_t size_bytes)
{
    return size_bytes < FRESH_BYTES ? memory_alloc(size_bytes) : memset(memory_resize(NULL, size_bytes), 0, size_bytes);
}

void *table_memory_alloc(size_t count, size_t slot_bytes)
{
    size_t size_bytes = memory_product(count, slot_bytes);
    void *block = size_bytes >= HUGE_PAGE_BYTES && size_bytes % HUGE_PAGE_BYTES == 0
                      ? aligned_alloc(HUGE_PAGE_BYTES, size_bytes)
                      : NULL;
    if (!block)
        return written_alloc(size_bytes);
    madvise(block, size_bytes, MADV_HUGEPAGE); /* refused: then on small pages */
    return memset(block, 0, size_bytes);
}
