/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which name stands beside a function in a table? Programs keep what they can do in tables of records (commands,
 * filters, device models): a name, and the functions that do it. The names stay where symbols are stripped.
 *
 * A record is believed where others of the same shape stand in the binary: as many words between name and function, of
 * the same kinds. Does not support: what placed_pointers doesn't; names behind their functions.
 */
#ifndef PLUMB_SYMBOL_ELF_TABLE_RECORDS_H
#define PLUMB_SYMBOL_ELF_TABLE_RECORDS_H

#include "base/text.h"
#include "symbol/elf/placed_pointers.h"

/*
 * The text that precedes, in its record, a pointer to the function beginning at addr; empty: there is none, or more
 * than one record holds the function. Owner: the file.
 */
struct view table_record_name(const struct placed_pointers *pointers, uint64_t addr);

/* Constant text at an address, that ends in a zero and can be read by people; empty: there is none. Owner: the file. */
struct view elf_constant_text(const struct elf_file *elf, uint64_t addr);
/* Constant bytes at an address, at most size_bytes and as far as the section has them. Owner: the file. */
struct bytes_view elf_constant_bytes(const struct elf_file *elf, uint64_t addr, uint64_t size_bytes);

#endif
