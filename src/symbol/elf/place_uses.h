/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often does a binary's code refer to a place in its constant data? What many functions refer to tells none of them
 * apart.
 *
 * Counted without decoding: each four bytes that lead to the place when they stand where a distance does, or an address
 * in a binary at fixed ones. One in some thousand places is counted once too often so. Does not support: binaries
 * without sections, or with more code than is read in a moment.
 */
#ifndef PLUMB_SYMBOL_ELF_PLACE_USES_H
#define PLUMB_SYMBOL_ELF_PLACE_USES_H

#include "symbol/elf/elf_file.h"

struct place_uses {
    uint8_t *counts; /* by byte of the constants, UINT8_MAX: that or more; NULL: not counted */
    uint64_t addr, size_bytes;
};

void place_uses_read(struct place_uses *uses, const struct elf_file *elf);
void place_uses_done(struct place_uses *uses);
/* 0: not counted, too. */
unsigned place_uses_at(const struct place_uses *uses, uint64_t addr);

#endif
