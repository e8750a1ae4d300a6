/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, source lines, inlined frames and code bytes for locations: an ordered list of name givers, asked
 * in turn until one answers (case bundle, kernel, ELF symbol table, DWARF, perf map, unknown), each saying
 * why it could not.
 *
 * Answers are cached per dso; each binary is read once. Does not support: fetching from the network unless
 * asked (debuginfod).
 */
#ifndef PLUMB_SYMBOL_SYMBOLISER_H
#define PLUMB_SYMBOL_SYMBOLISER_H

#include "base/arena.h"
#include "base/error.h"
#include "model/recording.h"
#include "system/sysroot.h"

struct symboliser;

#define SYMBOL_NONE UINT32_MAX

struct symbol {
    uint32_t dso;
    const char *name;     /* demangled; owner: the symboliser */
    const char *raw_name; /* as in the symbol table */
    uint64_t dso_addr, size_bytes; /* size 0: unknown */
    bool is_kernel;
    bool is_global;
};

struct source_line {
    const char *path; /* as the compiler wrote it, directory joined; NULL: unknown */
    uint32_t line;
    const char *function; /* of inlined frames: whose body it is */
};

struct symboliser_options {
    const struct sysroot *root;  /* for /proc/kallsyms, /tmp/perf-PID.map, binaries */
    const char *symbol_folder;   /* --symfs, or NULL */
    const char *kallsyms_path;   /* or NULL: /proc/kallsyms when the recording is of this boot */
    bool demangle;
    bool debuginfod;
};

/* Owner: the caller (symboliser_free). recording must outlive it. */
MUST_CHECK bool symboliser_new(struct symboliser **ret_symboliser, const struct recording *recording,
                               const struct symboliser_options *options, struct error *err);
void symboliser_free(struct symboliser *symboliser);

/* Id of the symbol that holds the location, or SYMBOL_NONE; stable, so equal ids mean the same symbol. */
uint32_t symboliser_symbol_id(struct symboliser *symboliser, uint32_t location);
const struct symbol *symboliser_symbol(struct symboliser *symboliser, uint32_t symbol_id);
/*
 * Innermost first: inlined functions, then the function itself; returns how many were written (at most
 * most); 0 when there is no DWARF.
 */
size_t symboliser_lines(struct symboliser *symboliser, uint32_t location, struct source_line *ret_lines, size_t most);
/* Why a dso has no names, or NULL: "no symbol table in '/x' (stripped); tried …". */
const char *symboliser_complaint(struct symboliser *symboliser, uint32_t dso);

/* One function's code, for disassembly. */
struct code {
    uint32_t symbol_id;
    uint64_t dso_addr; /* of bytes[0] */
    const uint8_t *bytes;
    size_t size_bytes;
    const char *architecture; /* "x86_64", "aarch64" */
};
/* Errors: which paths were tried. Owner of the bytes: the symboliser. */
MUST_CHECK bool symboliser_code(struct symboliser *symboliser, uint32_t symbol_id, struct code *ret_code,
                                struct error *err);

/* How the binary was built, as far as it says: DW_AT_producer of the unit that holds the location. */
const char *symboliser_producer(struct symboliser *symboliser, uint32_t location);

#endif
