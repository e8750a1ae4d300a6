/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/place_uses.h"

#include "base/arena.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE_MOST = 64 << 20,
    CONSTANTS_MOST = 64 << 20,
    PLACE_BYTES = 4, /* of a distance, or an address below 4 GiB */
};

static void use(struct place_uses *uses, uint64_t addr)
{
    uint64_t into = addr - uses->addr;
    if (into < uses->size_bytes && uses->counts[into] < UINT8_MAX)
        uses->counts[into]++;
}

static void read_code(struct place_uses *uses, const struct elf_file *elf, const struct elf_section *section)
{
    struct bytes_view code = elf_section_bytes(elf, section);
    bool is_fixed = elf->type == ET_EXEC;
    for (uint64_t at = 0; at + PLACE_BYTES <= code.size_bytes; at++) {
        int32_t distance;
        memcpy(&distance, code.bytes + at, PLACE_BYTES);
        use(uses, section->addr + at + PLACE_BYTES + (uint64_t)(int64_t)distance);
        if (is_fixed)
            use(uses, (uint32_t)distance);
    }
}

static bool is_code(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR;
}

void place_uses_read(struct place_uses *uses, const struct elf_file *elf)
{
    const struct elf_section *constants = elf_section_named(elf, ".rodata");
    uint64_t code_bytes = 0;
    *uses = (struct place_uses){0};
    for (size_t at = 0; at < elf->section_count; at++)
        code_bytes += is_code(&elf->sections[at]) ? elf->sections[at].size_bytes : 0;
    if (!constants || !constants->size_bytes || constants->size_bytes > CONSTANTS_MOST ||
        constants->size_bytes > elf->size_bytes || code_bytes > CODE_MOST)
        return;
    *uses = (struct place_uses){memory_alloc(constants->size_bytes), constants->addr, constants->size_bytes};
    memset(uses->counts, 0, constants->size_bytes);
    for (size_t at = 0; at < elf->section_count; at++)
        if (is_code(&elf->sections[at]))
            read_code(uses, elf, &elf->sections[at]);
}

void place_uses_done(struct place_uses *uses)
{
    free(uses->counts);
    *uses = (struct place_uses){0};
}

unsigned place_uses_at(const struct place_uses *uses, uint64_t addr)
{
    uint64_t into = addr - uses->addr;
    return uses->counts && into < uses->size_bytes ? uses->counts[into] : 0;
}
