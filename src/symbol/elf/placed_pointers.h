/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does the loader put where? The pointers in a position-independent binary's data, by its relocations.
 *
 * Its tables (of a class's virtual functions, of constants) hold nothing in the file: what they point to stands in
 * .rela.dyn. x86-64 and AArch64, 64 bits. Does not support: binaries at fixed addresses, relative relocations packed as
 * bits (RELR).
 */
#ifndef PLUMB_SYMBOL_ELF_PLACED_POINTERS_H
#define PLUMB_SYMBOL_ELF_PLACED_POINTERS_H

#include "base/vec.h"
#include "symbol/elf/elf_file.h"

struct placed_pointer {
    uint64_t addr;   /* where it stands */
    uint64_t target; /* ELF address; 0: in another binary */
    uint32_t symbol; /* in .dynsym, that it is relative to; 0: none */
};

struct placed_pointers {
    const struct elf_file *elf;
    vec(struct placed_pointer) items; /* by addr */
};

/* Owner: the caller (placed_pointers_done); elf must outlive it. */
void placed_pointers_read(struct placed_pointers *pointers, const struct elf_file *elf);
void placed_pointers_done(struct placed_pointers *pointers);
/* The one at exactly that address, or NULL. */
const struct placed_pointer *placed_pointer_at(const struct placed_pointers *pointers, uint64_t addr);
/* The symbol's name, "" when it has none. Owner: the file. */
const char *placed_pointer_name(const struct placed_pointers *pointers, const struct placed_pointer *pointer);

#endif
