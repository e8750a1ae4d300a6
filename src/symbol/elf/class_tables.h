/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of which C++ class is a function that no symbol names? Virtual functions stand in their class's table, and before
 * that stands the class's type information with its name, which stripping leaves in.
 *
 * Source: Itanium C++ ABI, 2.5 (virtual tables) and 2.9.5 (type information).
 * Does not support: what placed_pointers doesn't, classes compiled without type information.
 */
#ifndef PLUMB_SYMBOL_ELF_CLASS_TABLES_H
#define PLUMB_SYMBOL_ELF_CLASS_TABLES_H

#include "symbol/elf/placed_pointers.h"

/*
 * The class that a virtual function beginning at addr is of: where classes share it, the one that all of them have it
 * from. Mangled, as behind "_ZTI". NULL: it stands in no table, or the classes have no such one in common. Owner: the
 * file.
 */
const char *class_of_virtual(const struct placed_pointers *pointers, uint64_t addr);

#endif
