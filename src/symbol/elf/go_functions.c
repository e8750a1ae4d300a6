/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/go_functions.h"

#include "base/bytes.h"

enum {
    NAME_OFFSET_AT = 4, /* in a function's description: behind where it begins */
    PAIR_BYTES = 8      /* of the function table: where a function begins, and its description */
};

static const uint32_t MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1;

struct go_table {
    struct bytes_view all;
    bool swapped;
    uint64_t text_addr;      /* what functions are counted from */
    uint64_t function_count;
    uint64_t names, pairs;   /* offsets into `all` */
};

static uint64_t read_word(struct bytes *at, uint8_t size_bytes)
{
    return size_bytes == 8 ? read_u64(at) : read_u32(at);
}

static struct bytes cursor_at(const struct go_table *table, uint64_t offset)
{
    uint64_t size = table->all.size_bytes;
    offset = offset < size ? offset : size;
    return bytes_of(table->all.bytes + offset, size - offset, table->swapped);
}

static bool table_open(struct go_table *table, const struct elf_file *elf)
{
    const struct elf_section *section = elf_section_named(elf, ".gopclntab"), *text = elf_section_named(elf, ".text");
    *table = (struct go_table){.swapped = elf->swapped};
    if (section)
        table->all = elf_section_bytes(elf, section);
    if (!text || !table->all.size_bytes)
        return false;
    struct bytes at = cursor_at(table, 0);
    uint32_t magic = read_u32(&at);
    (void)bytes_take(&at, 3); /* two zeros, and the least length of an instruction */
    uint8_t word = read_u8(&at);
    if (at.failed || (magic != MAGIC_1_18 && magic != MAGIC_1_20) || (word != 4 && word != 8))
        return false;
    table->function_count = read_word(&at, word);
    (void)read_word(&at, word); /* files */
    table->text_addr = read_word(&at, word);
    table->names = read_word(&at, word);
    for (int skipped = 0; skipped < 3; skipped++) /* units, files, lines */
        (void)read_word(&at, word);
    table->pairs = read_word(&at, word);
    if (!elf_code_section_at(elf, table->text_addr)) /* position-independent ones have it relocated */
        table->text_addr = text->addr;
    return !at.failed && table->pairs < table->all.size_bytes && table->names < table->all.size_bytes;
}

static const char *function_name(const struct go_table *table, uint32_t description)
{
    struct bytes at = cursor_at(table, table->pairs + description + NAME_OFFSET_AT);
    uint32_t name = read_u32(&at);
    if (at.failed)
        return NULL;
    struct bytes text = cursor_at(table, table->names + name);
    const char *found = read_string(&text);
    return text.failed || !found || !*found ? NULL : found;
}

size_t go_functions_read(const struct elf_file *elf, struct symbol_index *index)
{
    struct go_table table;
    size_t added = 0;
    if (!table_open(&table, elf))
        return 0;
    struct bytes at = cursor_at(&table, table.pairs);
    uint64_t most = bytes_left(&at) / PAIR_BYTES;
    uint32_t start = read_u32(&at), description = read_u32(&at);
    for (uint64_t function = 0; function < table.function_count && function < most; function++) {
        uint32_t end = read_u32(&at); /* the next one's begin; behind the last stands where it ends */
        const char *name = at.failed || end <= start ? NULL : function_name(&table, description);
        if (name) {
            symbol_index_add(
                index, table.text_addr + start, end - start,
                (struct indexed_symbol){.name = name, .name_length = SYMBOL_NAME_UNMEASURED, .binding = SYMBOL_GLOBAL});
            added++;
        }
        if (at.failed)
            break;
        start = end;
        description = read_u32(&at);
    }
    return added;
}
