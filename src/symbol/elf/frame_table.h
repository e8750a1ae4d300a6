/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a function begin and end, when no symbol says so? A stripped binary still describes the stack frames
 * of its functions (.eh_frame), for exceptions and unwinding.
 *
 * Source: Linux Standard Base, "Exception Frames"; System V x86-64 psABI. Needs .eh_frame_hdr's sorted table.
 * Does not support: .debug_frame, tables in other encodings than linkers write.
 */
#ifndef PLUMB_SYMBOL_ELF_FRAME_TABLE_H
#define PLUMB_SYMBOL_ELF_FRAME_TABLE_H

#include "symbol/elf/elf_file.h"

/* The bounds of the function that holds addr; false when no frame description covers it. */
bool frame_table_bounds(const struct elf_file *elf, uint64_t addr, uint64_t *ret_start, uint64_t *ret_end);

#endif
