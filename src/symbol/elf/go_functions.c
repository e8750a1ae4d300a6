/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/go_functions.h"

#include "base/bytes.h"
#include "symbol/elf/placed_pointers.h"

enum {
    TEXT_AT_WORDS = 2,  /* of the header: words before where the text begins, behind its first eight bytes */
    HEADER_BYTES = 8,
    TABLE_ALIGNMENT = 8,
    NAME_OFFSET_AT = 4, /* in a function's description: behind where it begins */
    PAIR_BYTES = 8      /* of the function table: where a function begins, and its description */
};

static const uint32_t MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1;

struct go_table {
    struct bytes_view all;
    uint64_t addr; /* where it stands */
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

static bool begins_here(const struct go_table *table, uint64_t offset)
{
    struct bytes at = cursor_at(table, offset);
    uint32_t magic = read_u32(&at);
    uint16_t zeros = read_u16(&at);
    uint8_t least = read_u8(&at), word = read_u8(&at);
    return !at.failed && (magic == MAGIC_1_18 || magic == MAGIC_1_20) && !zeros &&
           (least == 1 || least == 2 || least == 4) && (word == 4 || word == 8);
}

/* From there on; false: it begins nowhere in that section. */
static bool table_within(struct go_table *table, const struct elf_file *elf, const struct elf_section *section)
{
    table->all = elf_section_bytes(elf, section);
    table->addr = section->addr;
    for (uint64_t at = 0; at + HEADER_BYTES <= table->all.size_bytes; at += TABLE_ALIGNMENT)
        if (begins_here(table, at)) {
            table->all = (struct bytes_view){table->all.bytes + at, table->all.size_bytes - at};
            table->addr += at;
            return true;
        }
    return false;
}

/* In a section of its own, or, where a C linker put it together, somewhere among data that are moved once. */
static bool table_find(struct go_table *table, const struct elf_file *elf)
{
    static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro", ".rodata"};
    bool is_of_go = elf_section_named(elf, ".gopclntab") || elf_section_named(elf, ".go.buildinfo");
    for (size_t at = 0; is_of_go && at < array_count(names); at++) {
        const struct elf_section *section = elf_section_named(elf, names[at]);
        if (section && table_within(table, elf, section))
            return true;
    }
    return false;
}

/* What functions are counted from: position-independent binaries have it in their relocations. */
static uint64_t text_of(const struct go_table *table, const struct elf_file *elf, uint64_t told, uint8_t word)
{
    const struct elf_section *text = elf_section_named(elf, ".text");
    if (told && elf_code_section_at(elf, told))
        return told;
    struct placed_pointers pointers = {0};
    placed_pointers_read(&pointers, elf);
    const struct placed_pointer *placed =
        placed_pointer_at(&pointers, table->addr + HEADER_BYTES + TEXT_AT_WORDS * word);
    uint64_t addr = placed && elf_code_section_at(elf, placed->target) ? placed->target : text ? text->addr : 0;
    placed_pointers_done(&pointers);
    return addr;
}

static bool table_open(struct go_table *table, const struct elf_file *elf)
{
    *table = (struct go_table){.swapped = elf->swapped};
    if (!table_find(table, elf))
        return false;
    struct bytes at = cursor_at(table, 0);
    (void)bytes_take(&at, HEADER_BYTES - 1);
    uint8_t word = read_u8(&at);
    table->function_count = read_word(&at, word);
    (void)read_word(&at, word); /* files */
    table->text_addr = read_word(&at, word);
    table->names = read_word(&at, word);
    for (int skipped = 0; skipped < 3; skipped++) /* units, files, lines */
        (void)read_word(&at, word);
    table->pairs = read_word(&at, word);
    table->text_addr = text_of(table, elf, table->text_addr, word);
    return !at.failed && table->text_addr && table->pairs < table->all.size_bytes &&
           table->names < table->all.size_bytes;
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
