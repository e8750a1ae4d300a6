/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <string.h>

struct raw_symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size_bytes;
};

static struct raw_symbol read_symbol(struct bytes *at, bool is_64)
{
    struct raw_symbol symbol;
    symbol.name = read_u32(at);
    if (!is_64) {
        symbol.value = read_u32(at);
        symbol.size_bytes = read_u32(at);
    }
    symbol.info = read_u8(at);
    symbol.other = read_u8(at);
    symbol.section = read_u16(at);
    if (is_64) {
        symbol.value = read_u64(at);
        symbol.size_bytes = read_u64(at);
    }
    return symbol;
}

/* ARM's and RISC-V's marks between code and data: $a, $d, $t, $x, with or without a suffix. */
static bool is_mapping_symbol(const char *name)
{
    return name[0] == '$' && strchr("adtx", name[1]) && name[1] && (!name[2] || name[2] == '.' || name[1] == 'x');
}

static bool symbol_is_wanted(const struct raw_symbol *symbol, const struct elf_section *section,
                             enum elf_symbol_kind kind)
{
    unsigned type = ELF64_ST_TYPE(symbol->info);
    bool in_code = section->flags & SHF_EXECINSTR;
    if (kind == ELF_OBJECTS)
        return type == STT_OBJECT || type == STT_COMMON || (type == STT_NOTYPE && !in_code);
    return in_code && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static enum symbol_binding symbol_binding(const struct raw_symbol *symbol)
{
    switch (ELF64_ST_BIND(symbol->info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
        return SYMBOL_GLOBAL;
    case STB_WEAK:
        return SYMBOL_WEAK;
    default:
        return SYMBOL_LOCAL;
    }
}

/* The part of a string table in which every string ends. */
static struct bytes_view whole_strings(const struct elf_file *elf, uint32_t section)
{
    struct bytes_view strings = {0};
    if (section < elf->section_count)
        strings = elf_section_bytes(elf, &elf->sections[section]);
    while (strings.size_bytes && strings.bytes[strings.size_bytes - 1])
        strings.size_bytes--;
    return strings;
}

size_t elf_symbols_read(const struct elf_file *elf, uint32_t table_type, enum elf_symbol_kind kind,
                        struct symbol_index *index)
{
    const struct elf_section *table = elf_section_of_type(elf, table_type);
    if (!table)
        return 0;
    struct bytes at = elf_section_cursor(elf, table);
    struct bytes_view strings = whole_strings(elf, table->link);
    size_t entry_bytes = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), found = 0;
    vec_reserve(&index->symbols, index->symbols.count + bytes_left(&at) / entry_bytes / 2);
    while (bytes_left(&at) >= entry_bytes) {
        struct raw_symbol symbol = read_symbol(&at, elf->is_64);
        if (!symbol.section || symbol.section >= elf->section_count || symbol.name >= strings.size_bytes)
            continue;
        const struct elf_section *section = &elf->sections[symbol.section];
        if (!symbol_is_wanted(&symbol, section, kind))
            continue;
        const char *name = (const char *)strings.bytes + symbol.name;
        if (!*name || (ELF64_ST_TYPE(symbol.info) == STT_NOTYPE && is_mapping_symbol(name)))
            continue;
        uint64_t value = elf->machine == EM_ARM ? symbol.value & ~(uint64_t)1 : symbol.value; /* Thumb's mark */
        symbol_index_add(index, value, symbol.size_bytes,
                         (struct indexed_symbol){.limit = section->addr + section->size_bytes,
                                                 .name = name,
                                                 .name_length = SYMBOL_NAME_UNMEASURED,
                                                 .binding = symbol_binding(&symbol)});
        found++;
    }
    return found;
}

struct dynamic_symbol elf_dynamic_symbol(const struct elf_file *elf, uint32_t index)
{
    struct dynamic_symbol none = {.name = ""};
    const struct elf_section *table = elf_section_of_type(elf, SHT_DYNSYM);
    if (!table || !index || table->link >= elf->section_count)
        return none;
    struct bytes at = elf_section_cursor(elf, table);
    bytes_take(&at, (size_t)index * sizeof(Elf64_Sym));
    struct raw_symbol symbol = read_symbol(&at, true);
    struct bytes strings = elf_section_cursor(elf, &elf->sections[table->link]);
    bytes_take(&strings, symbol.name);
    const char *name = at.failed ? NULL : read_string(&strings);
    return name ? (struct dynamic_symbol){name, symbol.value, symbol.section != SHN_UNDEF} : none;
}
