/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/dependence.h"

enum {
    LOOKED_AT_MOST = 256, /* rows around: a store is forwarded while it is young */
};

static bool is_same_place(const struct instruction *a, const struct instruction *b)
{
    const struct memory_operand *left = &a->memory, *right = &b->memory;
    if (!left->is_present || !right->is_present || left->has_vector_index || right->has_vector_index ||
        left->is_relative != right->is_relative || left->segment != right->segment)
        return false;
    if (left->is_relative)
        return a->addr + (uint64_t)left->displacement == b->addr + (uint64_t)right->displacement;
    return left->base == right->base && left->index == right->index && left->scale == right->scale &&
           left->displacement == right->displacement;
}

bool goes_through_memory(const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items, *here = &items[row];
    if (!here->memory.is_present || (!here->is_load && !here->is_store))
        return false;
    if (here->class == INSTRUCTION_UPDATE)
        return true;
    uint32_t first = row > region->rows.first + LOOKED_AT_MOST ? row - LOOKED_AT_MOST : region->rows.first;
    for (uint32_t at = first; at <= region->rows.last && at < row + LOOKED_AT_MOST; at++) {
        const struct instruction *other = &items[at];
        bool counterpart = (here->is_load && other->is_store) || (here->is_store && other->is_load);
        if (at != row && counterpart && is_same_place(here, other))
            return true;
    }
    return false;
}

bool is_chased(const struct region *region, uint32_t row)
{
    const struct instruction *here = &region->code->items[row];
    bool own = here->class == INSTRUCTION_LOAD && here->memory.base < 64 && here->memory.size_bytes == 8 &&
               (here->writes >> here->memory.base & 1);
    return own || region->code->marks[row] & (MARK_ADDRESSED | MARK_FOLLOWS);
}
