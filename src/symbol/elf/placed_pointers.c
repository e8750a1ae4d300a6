/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/placed_pointers.h"

#include "base/partition_point.h"
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <stdlib.h>

static int pointer_compare(const void *a, const void *b)
{
    const struct placed_pointer *left = a, *right = b;
    return (left->addr > right->addr) - (left->addr < right->addr);
}

/* Linkers put the relative ones in order, and those by symbols behind them. */
static bool is_sorted(const struct placed_pointers *pointers)
{
    for (size_t at = 1; at < pointers->items.count; at++)
        if (pointers->items.items[at].addr < pointers->items.items[at - 1].addr)
            return false;
    return true;
}

void placed_pointers_read(struct placed_pointers *pointers, const struct elf_file *elf)
{
    *pointers = (struct placed_pointers){.elf = elf};
    const struct elf_section *section = elf_section_named(elf, ".rela.dyn");
    bool is_x86 = elf->machine == EM_X86_64;
    if (!section || section->type != SHT_RELA || !elf->is_64 || (!is_x86 && elf->machine != EM_AARCH64))
        return;
    uint32_t relative = is_x86 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE,
             absolute = is_x86 ? R_X86_64_64 : R_AARCH64_ABS64;
    struct bytes at = elf_section_cursor(elf, section);
    vec_reserve(&pointers->items, bytes_left(&at) / sizeof(Elf64_Rela));
    while (bytes_left(&at) >= sizeof(Elf64_Rela)) {
        uint64_t addr = read_u64(&at), info = read_u64(&at), addend = read_u64(&at);
        uint32_t type = (uint32_t)ELF64_R_TYPE(info), symbol = (uint32_t)ELF64_R_SYM(info);
        if (type == relative)
            *vec_push(&pointers->items) = (struct placed_pointer){addr, addend, 0};
        else if (type == absolute) {
            struct dynamic_symbol found = elf_dynamic_symbol(elf, symbol);
            *vec_push(&pointers->items) =
                (struct placed_pointer){addr, found.is_defined ? found.addr + addend : 0, symbol};
        }
    }
    if (pointers->items.count && !is_sorted(pointers))
        qsort(pointers->items.items, pointers->items.count, sizeof(*pointers->items.items), pointer_compare);
}

void placed_pointers_done(struct placed_pointers *pointers)
{
    vec_done(&pointers->items);
}

const struct placed_pointer *placed_pointer_at(const struct placed_pointers *pointers, uint64_t addr)
{
    size_t at = partition_point(pointers->items.items, pointers->items.count, item->addr < addr);
    return at < pointers->items.count && pointers->items.items[at].addr == addr ? &pointers->items.items[at] : NULL;
}

const char *placed_pointer_name(const struct placed_pointers *pointers, const struct placed_pointer *pointer)
{
    return pointer->symbol ? elf_dynamic_symbol(pointers->elf, pointer->symbol).name : "";
}
