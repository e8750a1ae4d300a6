/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/kallsyms of a snapshot that somebody sends, and what was kept of our own. */
#include "symbol/names/kallsyms.h"
#include "symbol/names/kept_kallsyms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_order(const struct symbol_index *index)
{
    for (size_t at = 1; at < index->symbols.count; at++)
        if (index->symbols.items[at - 1].start >= index->symbols.items[at].start)
            abort();
}

/* What is kept of a table is that table. */
static void check_kept(const struct symbol_index *index)
{
    struct text packed = {0};
    struct kept_kallsyms kept;
    struct indexed_symbol found;
    if (!kept_kallsyms_pack(&packed, index, 0)) {
        text_done(&packed);
        return;
    }
    if (!kept_kallsyms_of(text_view(&packed), &kept) || kept.count != index->symbols.count)
        abort();
    for (size_t at = 0; at < index->symbols.count; at++) {
        const struct indexed_symbol *symbol = &index->symbols.items[at];
        if (symbol->end <= symbol->start)
            continue;
        if (kept_kallsyms_find(&kept, symbol->start, &found) != at || found.start != symbol->start ||
            found.end != symbol->end || found.name_length != symbol->name_length ||
            memcmp(found.name, symbol->name, symbol->name_length) != 0)
            abort();
    }
    text_done(&packed);
}

/* The bytes as a file that another program left. */
static size_t letters_kept(const uint8_t *bytes, size_t size_bytes)
{
    struct kept_kallsyms kept;
    struct indexed_symbol found;
    size_t letters = 0;
    if (!kept_kallsyms_of((struct view){(const char *)bytes, size_bytes}, &kept))
        return 0;
    for (uint64_t address = 0; address < 64; address++)
        if (kept_kallsyms_find(&kept, address << 58, &found) != SYMBOL_INDEX_NONE)
            letters += strnlen(found.name, found.name_length);
    return letters;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct symbol_index index = {0};
    struct error err = {0};
    bool good = kallsyms_parse((struct view){(const char *)bytes, size_bytes}, &index, &err);
    if (good != (index.symbols.count > 0) || good == (err.kind != ERROR_NONE))
        abort();
    check_order(&index);
    if (good)
        check_kept(&index);
    symbol_index_done(&index);
    return letters_kept(bytes, size_bytes) > 64 * size_bytes;
}
