/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions does a program built by Go name in the table that its runtime needs, and that "-s -w" leaves in?
 *
 * Source: src/runtime/symtab.go and src/debug/gosym of Go (".gopclntab", Go 1.18 and later; magic numbers 0xfffffff0
 * and 0xfffffff1; src/cmd/link: no section of its own where a C linker makes a position-independent program). Does not
 * support: tables of older Go, inlined functions, lines.
 */
#ifndef PLUMB_SYMBOL_ELF_GO_FUNCTIONS_H
#define PLUMB_SYMBOL_ELF_GO_FUNCTIONS_H

#include "symbol/elf/elf_file.h"
#include "symbol/symbol_index.h"

/*
 * Add its functions with their sizes; returns how many. A damaged table ends where it is damaged. Names point into the
 * file.
 */
size_t go_functions_read(const struct elf_file *elf, struct symbol_index *index);

#endif
