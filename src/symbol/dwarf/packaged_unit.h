/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The split part of a unit, of a package (FILE.dwp) that this libdw can't read.
 *
 * libdw (before 0.191) links a skeleton to a .dwo file that its path names, and to nothing else. So it is given both:
 * the unit's part of the package as a file in memory, and a skeleton that names it and says what the binary's own does:
 * base addresses, and the tables that they go into.
 */
#ifndef PLUMB_SYMBOL_DWARF_PACKAGED_UNIT_H
#define PLUMB_SYMBOL_DWARF_PACKAGED_UNIT_H

#include "symbol/dwarf/libdw_functions.h"
#include "symbol/dwarf/split_package.h"

struct packaged_unit {
    void *memory; /* the binary's bytes, our own, with the skeleton behind them */
    size_t size_bytes;
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_Die split;
};

/*
 * Of the skeleton unit of the binary at binary_fd. Owner: the caller (packaged_unit_done). Returns false, and leaves
 * nothing, when the package doesn't have it.
 */
bool packaged_unit_open(struct packaged_unit *ret_unit, const struct libdw *api, const struct split_package *package,
                        int binary_fd, Dwarf_Die *skeleton);
void packaged_unit_done(struct packaged_unit *unit, const struct libdw *api);

#endif
