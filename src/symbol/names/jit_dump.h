/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions, and which code, did a JIT compiler write into its jitdump (jit-PID.dump)?
 *
 * Read as it is, without perf inject. Addresses are runtime addresses; what was written later replaces what it overlaps, whenever a
 * sample was taken, as with perf maps. Code that moved has its name at the new place, too. Source lines and unwinding tables aren't read.
 * Source: the kernel's tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef PLUMB_SYMBOL_NAMES_JIT_DUMP_H
#define PLUMB_SYMBOL_NAMES_JIT_DUMP_H

#include "base/bytes.h"
#include "base/text.h"
#include "symbol/symbol_index.h"
#include "symbol/symboliser.h"

struct jit_code {
    uint64_t addr, size_bytes;
    struct view name;
    const uint8_t *bytes; /* size_bytes of them, in the dump */
};

/* The dump that a process has mapped, as the recording names it ("/tmp/jit-12.dump"); NULL: none. Owner: the recording. */
const char *jit_dump_path(const struct recording *recording, uint32_t pid);
/* Map the dump, in the process's own root or in ours. Errors: naming the paths tried. Owner of the bytes: the caller (jit_dump_close). */
MUST_CHECK bool jit_dump_open(const struct sysroot *root, uint32_t pid, const char *path, struct view *ret_dump, struct error *err);
void jit_dump_close(struct view dump);

/* Add the functions and sort. Names are views into the dump. Errors: ERROR_FORMAT with the offset; what came before it is there. */
MUST_CHECK bool jit_dump_parse(struct view dump, struct symbol_index *index, struct error *err);
/* The code at an address, as written last; no bytes: none. */
struct view jit_dump_code(struct view dump, uint64_t addr);

#endif
