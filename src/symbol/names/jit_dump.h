/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions, and which code, did a JIT compiler write into its jitdump (jit-PID.dump)?
 *
 * Read as it is, without perf inject. Addresses are runtime addresses; what was written later replaces what it
 * overlaps, whenever a sample was taken, as with perf maps. Code that moved has its name and lines at the new place,
 * too. Unwinding tables aren't read. Source: the kernel's tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PLUMB_SYMBOL_NAMES_JIT_DUMP_H
#define PLUMB_SYMBOL_NAMES_JIT_DUMP_H

#include "base/bytes.h"
#include "base/hashmap.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbol/symbol_index.h"
#include "symbol/symboliser.h"

struct jit_code {
    uint64_t addr, size_bytes;
    struct view name;
    const uint8_t *bytes; /* size_bytes of them, in the dump */
};

/* The source lines of what was loaded. Zeroed: none. */
struct jit_lines {
    vec(struct jit_line_table) tables;
    struct hashmap by_start; /* where code lies: the place of its table */
    bool begins_early;       /* some function has a line within its first bytes: addresses are the code's own */
};

struct jit_line_table {
    uint64_t code_addr, count; /* as its entries have it; of these */
    struct bytes entries;      /* in the dump */
};

/*
 * The dump that a process has mapped, as the recording names it ("/tmp/jit-12.dump"); NULL: none. Owner: the recording.
 */
const char *jit_dump_path(const struct recording *recording, uint32_t pid);
/*
 * Map the dump, in the process's own root or in ours. Errors: naming the paths tried. Owner of the bytes: the caller
 * (jit_dump_close).
 */
MUST_CHECK bool jit_dump_open(const struct sysroot *root, uint32_t pid, const char *path, struct view *ret_dump,
                              struct error *err);
void jit_dump_close(struct view dump);

/*
 * Add the functions and sort; find their lines. Names are views into the dump. Errors: ERROR_FORMAT with the offset;
 * what came before it is there.
 */
MUST_CHECK bool jit_dump_parse(struct view dump, struct symbol_index *index, struct jit_lines *lines,
                               struct error *err);
/*
 * The line of an address of the function that begins at start; false when the dump has none. Owner of the path: the
 * dump.
 */
bool jit_lines_find(const struct jit_lines *lines, uint64_t start, uint64_t addr, struct source_line *ret_line);
void jit_lines_done(struct jit_lines *lines);
/* The code at an address, as written last; no bytes: none. */
struct view jit_dump_code(struct view dump, uint64_t addr);

#endif
