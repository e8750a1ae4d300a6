/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/splits.h"

#include "analyse/bottleneck/code_index.h"
#include "base/cache_line.h"

static bool is_plain_load(const struct instruction *row)
{
    return row->is_load && row->memory.is_present && !row->memory.has_vector_index && row->class != INSTRUCTION_CALL &&
           row->class != INSTRUCTION_STRING && row->class != INSTRUCTION_PREFETCH;
}

static double row_ratio(const struct bottleneck_request *request, const struct region *region, uint32_t row)
{
    struct index_part own = code_index_row_addresses(request->index, region->function, row);
    uint64_t size = region->code->items[row].memory.size_bytes;
    size_t crossing = 0;
    if (size < 2 || own.count < WORKING_SET_ADDRESSES_LEAST)
        return 0;
    for (size_t at = 0; at < own.count; at++)
        crossing += request->stalls->addresses[own.items[at]].addr % CACHE_LINE_BYTES + size > CACHE_LINE_BYTES;
    return (double)crossing / (double)own.count;
}

double splits_ratio(const struct bottleneck_request *request, const struct region *region)
{
    double crossing = 0, loads = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        if (!region_holds(region, row) || !is_plain_load(&region->code->items[row]))
            continue;
        loads++;
        crossing += row_ratio(request, region, row);
    }
    return loads > 0 ? crossing / loads : 0;
}
