/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PLT entries have no symbols of their own: each is named by the relocation that fills the slot it jumps through. */
#include "symbol/elf/elf_symbols.h"

#include <elf.h>
#include <string.h>

struct slot {
    uint64_t addr;   /* of the GOT entry */
    uint32_t symbol; /* in .dynsym; 0: none */
    uint64_t addend; /* of an indirect function's relocation: its resolver */
};

typedef vec(struct slot) slot_list;

static bool fills_slot(uint16_t machine, uint32_t type)
{
    if (machine == EM_X86_64)
        return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT || type == R_X86_64_IRELATIVE;
    return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_IRELATIVE;
}

static void read_slots(const struct elf_file *elf, const char *section_name, slot_list *slots)
{
    const struct elf_section *section = elf_section_named(elf, section_name);
    if (!section || section->type != SHT_RELA)
        return;
    struct bytes at = elf_section_cursor(elf, section);
    while (bytes_left(&at) >= sizeof(Elf64_Rela)) {
        uint64_t addr = read_u64(&at), info = read_u64(&at), addend = read_u64(&at);
        if (fills_slot(elf->machine, ELF64_R_TYPE(info)))
            *vec_push(slots) = (struct slot){addr, (uint32_t)ELF64_R_SYM(info), addend};
    }
}

static int slot_compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The name of the entry that jumps through slot; indirect functions go by the name of their resolver. */
static const char *entry_name(const struct elf_file *elf, const struct slot *slot, struct arena *arena,
                              const struct symbol_index *index, size_t function_count)
{
    const char *name = elf_dynamic_symbol(elf, slot->symbol).name;
    if (*name)
        return arena_printf(arena, "%s@plt", name);
    for (size_t at = 0; at < function_count; at++)
        if (index->symbols.items[at].start == slot->addend)
            return arena_printf(arena, "%.*s@plt", (int)indexed_symbol_name(&index->symbols.items[at]).length,
                                index->symbols.items[at].name);
    return arena_printf(arena, "*ABS*+0x%llx@plt", (unsigned long long)slot->addend);
}

static uint32_t load_u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* jmp *disp(%rip), with or without endbr64 and bnd before it. */
static bool x86_entry_slot(struct bytes_view code, uint64_t addr, uint64_t *ret_slot)
{
    size_t at = 0;
    if (code.size_bytes >= 4 && memcmp(code.bytes, "\xf3\x0f\x1e\xfa", 4) == 0)
        at = 4;
    if (at < code.size_bytes && code.bytes[at] == 0xf2)
        at++;
    if (code.size_bytes - at < 6 || code.bytes[at] != 0xff || code.bytes[at + 1] != 0x25)
        return false;
    *ret_slot = addr + at + 6 + (uint64_t)(int64_t)(int32_t)load_u32(code.bytes + at + 2);
    return true;
}

/* adrp x16, page; ldr x17, [x16, #offset], with or without bti c before it. */
static bool aarch64_entry_slot(struct bytes_view code, uint64_t addr, uint64_t *ret_slot)
{
    size_t at = code.size_bytes >= 4 && load_u32(code.bytes) == 0xd503245f ? 4 : 0;
    if (code.size_bytes < at + 8)
        return false;
    uint32_t adrp = load_u32(code.bytes + at), load = load_u32(code.bytes + at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
        return false;
    int64_t pages = (int64_t)((uint64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3)) << 43) >> 43;
    *ret_slot = ((addr + at) & ~(uint64_t)0xfff) + (uint64_t)(pages * 4096) + (load >> 10 & 0xfff) * 8;
    return true;
}

struct plt {
    const struct elf_file *elf;
    struct arena *arena;
    struct symbol_index *index;
    size_t function_count; /* symbols that were there before */
    slot_list slots;
};

static void name_entries(struct plt *plt, const char *section_name, unsigned step)
{
    const struct elf_section *section = elf_section_named(plt->elf, section_name);
    if (!section)
        return;
    struct bytes_view code = elf_section_bytes(plt->elf, section);
    bool is_x86 = plt->elf->machine == EM_X86_64;
    uint64_t first_end = 0;
    for (uint64_t at = 0; at + step <= code.size_bytes; at += step) {
        struct bytes_view rest = {code.bytes + at, code.size_bytes - at};
        struct slot key = {0};
        if (!(is_x86 ? x86_entry_slot : aarch64_entry_slot)(rest, section->addr + at, &key.addr))
            continue;
        const struct slot *slot = plt->slots.count ? bsearch(&key, plt->slots.items, plt->slots.count, sizeof(key),
                                                             slot_compare) : NULL;
        if (!slot)
            continue;
        if (!first_end)
            first_end = section->addr + at;
        symbol_index_add(plt->index, section->addr + at, 0,
                         (struct indexed_symbol){
                             .name = entry_name(plt->elf, slot, plt->arena, plt->index, plt->function_count),
                             .name_length = SYMBOL_NAME_UNMEASURED,
                             .limit = section->addr + code.size_bytes,
                             .binding = SYMBOL_GLOBAL,
                             .rank = 1});
        at += is_x86 ? 0 : 8; /* bti's entry would match again at its adrp */
    }
    if (first_end > section->addr)
        symbol_index_add(
            plt->index, section->addr, first_end - section->addr,
            (struct indexed_symbol){.name = section->name, .name_length = SYMBOL_NAME_UNMEASURED, .rank = 1});
}

void elf_plt_read(const struct elf_file *elf, struct arena *arena, struct symbol_index *index)
{
    if (!elf->is_64 || elf->swapped || (elf->machine != EM_X86_64 && elf->machine != EM_AARCH64))
        return;
    struct plt plt = {.elf = elf, .arena = arena, .index = index, .function_count = index->symbols.count};
    unsigned step = elf->machine == EM_X86_64 ? 8 : 4;
    read_slots(elf, ".rela.plt", &plt.slots);
    if (elf_section_named(elf, ".plt.got"))
        read_slots(elf, ".rela.dyn", &plt.slots);
    if (plt.slots.count)
        qsort(plt.slots.items, plt.slots.count, sizeof(*plt.slots.items), slot_compare);
    name_entries(&plt, ".plt", step);
    name_entries(&plt, ".plt.sec", step);
    name_entries(&plt, ".plt.got", step);
    name_entries(&plt, ".iplt", step);
    vec_done(&plt.slots);
}
