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
    struct running_kernel names = {.index = *index}, kept = {0};
    kept_kallsyms_pack(&kept.text, &names);
    if (!kept_kallsyms_unpack(&kept) || kept.index.symbols.count != index->symbols.count)
        abort();
    for (size_t at = 0; at < index->symbols.count; at++) {
        const struct indexed_symbol *a = &index->symbols.items[at], *b = &kept.index.symbols.items[at];
        if (a->start != b->start || a->end != b->end || a->name_length != b->name_length ||
            memcmp(a->name, b->name, a->name_length) != 0)
            abort();
    }
    running_kernel_done(&kept);
}

/* The bytes as a file that a crash, a full disk or another program left. */
static size_t letters_kept(const uint8_t *bytes, size_t size_bytes)
{
    struct running_kernel names = {0};
    size_t letters = 0;
    text_append(&names.text, (const char *)bytes, size_bytes);
    if (kept_kallsyms_unpack(&names))
        vec_for_each (&names.index.symbols, symbol)
            letters += strnlen(symbol->name, symbol->name_length);
    running_kernel_done(&names);
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
    return letters_kept(bytes, size_bytes) > size_bytes * size_bytes;
}
