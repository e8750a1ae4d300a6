/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"

#include "base/arena.h"

void *vec_reserve_bytes(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count <= *capacity)
        return items;
    size_t grown = *capacity ? *capacity + *capacity / 2 : 8;
    if (grown < count)
        grown = count;
    items = memory_resize(items, memory_product(grown, item_bytes));
    *capacity = grown;
    return items;
}
