/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which source line, and which inlined functions, does an address of a binary belong to?
 *
 * libdw parses; looking up is done in own sorted arrays, built per compilation unit and per function when an
 * address in them is first asked for. Does not support: relocatable objects, split DWARF whose .dwo files and
 * package (.dwp) are gone (lines remain).
 */
#ifndef PLUMB_SYMBOL_DWARF_DWARF_INDEX_H
#define PLUMB_SYMBOL_DWARF_DWARF_INDEX_H

#include "base/arena.h"
#include "base/error.h"
#include "symbol/symboliser.h"

struct dwarf_index;
struct kept_dwarf;
struct split_package;

/*
 * Open the DWARF of the ELF file at fd, which must stay open. lines_first: a line will be asked for, so that all is
 * unpacked at once; else what only lines need waits until one is. Owner: the caller (dwarf_index_free).
 * kept: what the file's DWARF said before, or NULL; the index owns it, opens the DWARF only where that doesn't do, and
 * keeps what is told in it when it is freed. Errors, kept freed: ERROR_UNSUPPORTED without libdw; ERROR_NOT_FOUND when
 * the file has no DWARF.
 */
MUST_CHECK bool dwarf_index_new(struct dwarf_index **ret_index, int fd, bool demangle, bool lines_first,
                                struct kept_dwarf *kept, struct error *err);
/* The package of split units (.dwp) that belongs to it, before anything is asked; the index owns it. */
void dwarf_index_add_package(struct dwarf_index *index, struct split_package *package);
void dwarf_index_free(struct dwarf_index *index);

/* Innermost first; returns how many were written (at most most), 0 when nothing is known of elf_addr. */
size_t dwarf_index_lines(struct dwarf_index *index, uint64_t elf_addr, struct source_line *ret_lines, size_t most);
/* The innermost of these lines alone, without whose body it is: functions needn't be read for it. */
bool dwarf_index_line(struct dwarf_index *index, uint64_t elf_addr, struct source_line *ret_line);
/*
 * The functions of these lines alone, without reading line tables; NULL: one whose name is unknown. 0 outside
 * functions.
 */
size_t dwarf_index_functions(struct dwarf_index *index, uint64_t elf_addr, const char **ret_functions, size_t most);
/* The first split unit (.dwo) met so far that wasn't found, as its skeleton calls it, or NULL. Owner: the index. */
const char *dwarf_index_missing(const struct dwarf_index *index);
/*
 * The file that the first nameless function met so far has its name in (dwz), as the binary calls it, or NULL. Owner:
 * the index.
 */
const char *dwarf_index_shared_missing(const struct dwarf_index *index);
/* DW_AT_producer of the unit that holds elf_addr, or NULL. Owner: the index. */
const char *dwarf_index_producer(struct dwarf_index *index, uint64_t elf_addr);

#endif
