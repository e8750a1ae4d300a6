/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in a package of split units (FILE.dwp), or in a .dwo file of several, is the part of one unit?
 *
 * A package holds the sections of many .dwo files one behind the other and an index of which piece is whose. Reads
 * GNU's version 2 (DWARF 4) and version 5. A .dwo file has no index: of its .debug_info.dwo sections (GCC makes one for
 * each type unit) the one of the unit is looked for, all others it shares. Offsets may have 32 or 64 bits. Does not
 * support: types.
 * Invariant: every piece lies within the file, or within what was unpacked of it.
 * Source: DWARF 5, section 7.3.5; gcc.gnu.org/wiki/DebugFissionDWP
 */
#ifndef PLUMB_SYMBOL_DWARF_SPLIT_PACKAGE_H
#define PLUMB_SYMBOL_DWARF_SPLIT_PACKAGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "symbol/dwarf/byte_writer.h"

struct split_package;

/*
 * Of the package at fd, which may be closed afterwards. Owner: the caller (split_package_free). Errors: ERROR_FORMAT;
 * ERROR_UNSUPPORTED when a library to unpack it is missing.
 */
MUST_CHECK bool split_package_open(struct split_package **ret_package, int fd, struct error *err);
/* The same of a .dwo file. */
MUST_CHECK bool split_file_open(struct split_package **ret_package, int fd, struct error *err);
void split_package_free(struct split_package *package);
/*
 * What the .dwo file of the unit with that id held of its functions, as an ELF file of the package's byte order. Owner:
 * the caller (vec_done). Returns whether it is in the package.
 */
bool split_package_unit(const struct split_package *package, uint64_t id, struct byte_writer *ret_image);

#endif
