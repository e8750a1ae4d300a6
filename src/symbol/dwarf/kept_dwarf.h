/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What DWARF said before of a binary: which functions, inlined ones too, stand at which addresses, what they are
 * called, and from which lines some addresses came.
 *
 * To unpack and walk a C library's DWARF takes a report longer than many a recording's samples do. Kept is what was
 * asked for, of one file as it is (device, inode, size, times), in one of 128 files of the cache folder, so that they
 * don't pile up: two binaries of one number take turns. Names are demangled. Nothing of it is needed: what isn't kept
 * is read from the binary.
 */
#ifndef PLUMB_SYMBOL_DWARF_KEPT_DWARF_H
#define PLUMB_SYMBOL_DWARF_KEPT_DWARF_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_dwarf;

/*
 * A range of addresses of a function, or of an inlined copy of one. A function's scopes are sorted by start, outer ones
 * first.
 */
struct kept_scope {
    uint64_t start, end;
    const char *name;   /* NULL: it has none */
    uint32_t enclosing; /* an earlier one of the same function's, UINT32_MAX: none */
    bool is_inlined;
};

/* The innermost line of one address. */
struct kept_line {
    const char *path; /* NULL: it has none */
    uint32_t number;
    bool is_known; /* false: the address has no line */
};

/* What is kept of the file at fd. Owner: the caller (kept_dwarf_free). */
struct kept_dwarf *kept_dwarf_open(int fd);
/* Of bytes as they stand behind a file's head; for another's eyes (tests): what it learns is written nowhere. */
struct kept_dwarf *kept_dwarf_of(struct view body);
void kept_dwarf_free(struct kept_dwarf *kept);

/* Nothing is kept of this file. */
bool kept_dwarf_is_empty(const struct kept_dwarf *kept);
/*
 * The functions at elf_addr, innermost first, at most `most`; false: what stands there isn't kept. Names' owner: kept.
 */
bool kept_dwarf_functions(const struct kept_dwarf *kept, uint64_t elf_addr, const char **ret_functions, size_t most,
                          size_t *ret_count);
/* The line at elf_addr; false: it isn't kept. Path's owner: kept. */
bool kept_dwarf_line(const struct kept_dwarf *kept, uint64_t elf_addr, struct kept_line *ret_line);

/*
 * A function's range and its scopes; no scopes: there is no function. Those that were kept before of any of it are
 * forgotten.
 */
void kept_dwarf_learn_function(struct kept_dwarf *kept, uint64_t start, uint64_t end, const struct kept_scope *scopes,
                               size_t scope_count);
void kept_dwarf_learn_line(struct kept_dwarf *kept, uint64_t elf_addr, const struct kept_line *line);
/*
 * Keep what was learnt with what was kept, by others too, as long as both fit (4 MiB), else alone; quietly not, where
 * that can't be. Of two that write at once one is dropped. What was told is gone with it.
 */
void kept_dwarf_write(struct kept_dwarf *kept);

#endif
