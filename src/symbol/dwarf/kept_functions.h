/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What DWARF said before of a binary's functions: which inlined ones stand at which of their addresses, and what all are called.
 *
 * To unpack and walk a C library's DWARF takes a report longer than many a recording's samples do. Kept is what was asked for, of one file as it
 * is (device, inode, size, times), in one of 128 files of the cache folder, so that they don't pile up: two binaries of one number
 * take turns. Names are demangled. Nothing of it is needed: what isn't kept is read from the binary.
 */
#ifndef PLUMB_SYMBOL_DWARF_KEPT_FUNCTIONS_H
#define PLUMB_SYMBOL_DWARF_KEPT_FUNCTIONS_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_functions;

/* A range of addresses of a function, or of an inlined copy of one. A function's scopes are sorted by start, outer ones first. */
struct kept_scope {
    uint64_t start, end;
    const char *name;   /* NULL: it has none */
    uint32_t enclosing; /* an earlier one of the same function's, UINT32_MAX: none */
    bool is_inlined;
};

/* What is kept of the file at fd. Owner: the caller (kept_functions_free). */
struct kept_functions *kept_functions_open(int fd);
/* Of bytes as they stand behind a file's head; for another's eyes (tests): what it learns is written nowhere. */
struct kept_functions *kept_functions_of(struct view body);
void kept_functions_free(struct kept_functions *kept);

/* Nothing is kept of this file. */
bool kept_functions_is_empty(const struct kept_functions *kept);
/* The functions at elf_addr, innermost first, at most `most`; false: what stands there isn't kept. Names' owner: kept. */
bool kept_functions_tell(const struct kept_functions *kept, uint64_t elf_addr, const char **ret_functions, size_t most, size_t *ret_count);

/* A function's range and its scopes; no scopes: there is no function. Those that were kept before of any of it are forgotten. */
void kept_functions_learn(struct kept_functions *kept, uint64_t start, uint64_t end, const struct kept_scope *scopes, size_t scope_count);
/* Keep what was learnt with what was kept; quietly not, where that can't be. */
void kept_functions_write(struct kept_functions *kept);

#endif
