/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions (or data objects) does an ELF file name, and which imports do its PLT entries call?
 *
 * Symbols are indexed by virtual address. Names point into the file (or the arena), so both must outlive the
 * index. Does not support: relocatable objects (their addresses are per section), function descriptors.
 */
#ifndef PLUMB_SYMBOL_ELF_ELF_SYMBOLS_H
#define PLUMB_SYMBOL_ELF_ELF_SYMBOLS_H

#include "base/arena.h"
#include "symbol/elf/elf_file.h"
#include "symbol/symbol_index.h"

enum elf_symbol_kind {
    ELF_FUNCTIONS, /* functions, indirect functions, and untyped labels in code */
    ELF_OBJECTS    /* variables */
};

/* Add the symbols of one table (SHT_SYMTAB or SHT_DYNSYM); returns how many it has of that kind. */
size_t elf_symbols_read(const struct elf_file *elf, uint32_t table_type, enum elf_symbol_kind kind,
                        struct symbol_index *index);
struct dynamic_symbol {
    const char *name; /* "" when there is none */
    uint64_t addr;
    bool is_defined;  /* here, not in another binary */
};

/* One of .dynsym by its index, as relocations name it. 64 bits. Owner of the name: the file. */
struct dynamic_symbol elf_dynamic_symbol(const struct elf_file *elf, uint32_t index);
/* Add "foo@plt" for each PLT entry whose slot a relocation fills. x86-64 and AArch64. */
void elf_plt_read(const struct elf_file *elf, struct arena *arena, struct symbol_index *index);

#endif
