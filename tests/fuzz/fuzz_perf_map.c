/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /tmp/perf-PID.map, written by any process of that number. */
#include "symbol/names/perf_map.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct symbol_index index = {0};
    perf_map_parse((struct view){(const char *)bytes, size_bytes}, &index);
    for (size_t at = 0; at < index.symbols.count; at++) {
        const struct indexed_symbol *symbol = &index.symbols.items[at];
        uint32_t found = symbol_index_find(&index, symbol->start);
        if (symbol->end > symbol->start && found != at)
            abort(); /* whatever begins there is what is found there */
    }
    symbol_index_done(&index);
    return 0;
}
