/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions, and which code, did a JIT compiler write into its jitdump (jit-PID.dump)?
 *
 * Read as it is, without perf inject. Addresses are runtime addresses; what was written later replaces what it
 * overlaps, whenever a sample was taken, as with perf maps. Code that moved has all that was said of it at the new
 * place, too. Source: the kernel's tools/perf/Documentation/jitdump-specification.txt; what frame tables are relative
 * to is what perf inject makes of them (tools/perf/util/genelf.c).
 */
#ifndef PLUMB_SYMBOL_NAMES_JIT_DUMP_H
#define PLUMB_SYMBOL_NAMES_JIT_DUMP_H

#include "base/bytes.h"
#include "base/hashmap.h"
#include "base/text.h"
#include "base/vec.h"
#include "symbol/elf/frame_table.h"
#include "symbol/symbol_index.h"
#include "symbol/symboliser.h"

struct jit_line_table {
    uint64_t code_addr, count; /* as its entries have it; of these */
    struct bytes entries;      /* in the dump */
};

struct jit_frame_table {
    struct view bytes;     /* .eh_frame and behind it .eh_frame_hdr, in the dump */
    uint64_t header_bytes; /* of the latter; 0: there is none */
};

struct jit_function {
    struct view name;
    uint64_t size_bytes;
    struct view code;              /* in the dump */
    struct jit_line_table lines;   /* count 0: none */
    struct jit_frame_table frames;
};

/* What was said of the functions beside their names. Zeroed: none. */
struct jit_functions {
    vec(struct jit_function) items; /* as written */
    struct hashmap by_start;        /* the last one that began there */
    bool swapped;                   /* the dump's byte order isn't ours */
    bool have_lines;
    bool begin_early; /* some have a line within their first bytes: addresses of lines are the code's own */
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
 * Add the functions and sort; keep what else is said of them. Names are views into the dump. Errors: ERROR_FORMAT with
 * the offset; what came before it is there.
 */
MUST_CHECK bool jit_dump_parse(struct view dump, struct symbol_index *index, struct jit_functions *functions,
                               struct error *err);
/*
 * Of an address of the function that begins at start, each false (or no bytes) when the dump has none. The line: owner
 * of the path is the dump. The code from there on. How the function's caller is found, at runtime addresses.
 */
bool jit_line_find(const struct jit_functions *functions, uint64_t start, uint64_t addr, struct source_line *ret_line);
struct view jit_code_find(const struct jit_functions *functions, uint64_t start, uint64_t addr);
bool jit_frame_find(const struct jit_functions *functions, uint64_t start, uint64_t addr,
                    struct frame_description *ret_description);
void jit_functions_done(struct jit_functions *functions);

#endif
