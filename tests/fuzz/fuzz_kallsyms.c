/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/kallsyms of a snapshot that somebody sends. */
#include "symbol/names/kallsyms.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct symbol_index index = {0};
    struct error err = {0};
    bool good = kallsyms_parse((struct view){(const char *)bytes, size_bytes}, &index, &err);
    if (good != (index.symbols.count > 0) || good == (err.kind != ERROR_NONE))
        abort();
    for (size_t at = 1; at < index.symbols.count; at++)
        if (index.symbols.items[at - 1].start >= index.symbols.items[at].start)
            abort();
    symbol_index_done(&index);
    return 0;
}
