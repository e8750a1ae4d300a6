/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, source lines and instruction bytes of everything a recording was seen to run, cut loose from the
 * binaries: what a case keeps so that it replays where the binaries aren't.
 *
 * Made from a symboliser once; diagnose reads names and code only from here, live and replayed alike.
 * Does not support: code that no sample hit.
 */
#ifndef PLUMB_SYMBOL_CODE_BUNDLE_H
#define PLUMB_SYMBOL_CODE_BUNDLE_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "model/recording.h"
#include "symbol/symboliser.h"

struct bundle_line {
    uint64_t dso_addr;
    const char *path; /* as the compiler wrote it */
    uint32_t line;
    const char *function; /* innermost inlined function, or NULL */
};

struct bundle_function {
    const char *dso; /* path as recorded */
    struct build_id build_id; /* which file of that path: containers have one each; empty: not known */
    uint32_t owner_pid;       /* of generated code: whose; else 0 */
    const char *name;
    uint64_t dso_addr, size_bytes;
    uint64_t shown_addr; /* of dso_addr as a disassembler shows it */
    bool is_kernel;
    bool is_named; /* else name is made of its place */
    bool is_told;  /* of one without a name: what it tells of itself stands behind its place (function_remark.h) */
    const uint8_t *bytes; /* NULL: not kept */
    size_t byte_count;
    const char *producer; /* of the compiler, or NULL */
    struct bundle_line *lines; /* sorted by dso_addr */
    size_t line_count;
};

struct code_bundle {
    const char *architecture;
    struct bundle_function *functions; /* sorted by dso, build_id, owner_pid, then dso_addr */
    size_t count;
    bool has_owners; /* else from a case of before: its functions don't say of which build they are */
    const char **complaints; /* why something has no names */
    size_t complaint_count;
};

/*
 * Names for every sampled location and frame; bytes and lines for functions that hold at least least_share of
 * the samples; of smaller ones the bytes alone, most samples first, not more than a mebibyte in all; lines, too, of the
 * callers of what left its CPU and of what was sampled with its stack. Owner: arena.
 */
void code_bundle_make(struct code_bundle *bundle, const struct recording *recording, struct symboliser *symboliser,
                      double least_share, struct arena *arena);
void code_bundle_write(const struct code_bundle *bundle, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool code_bundle_read(struct code_bundle *bundle, struct json_value root, struct arena *arena,
                                 struct error *err);

/* The function that holds the location, or NULL. */
const struct bundle_function *code_bundle_find(const struct code_bundle *bundle, const struct recording *recording,
                                               uint32_t location);
/*
 * Whether an address that one of them shows may be the other's: files begin at the same addresses, and only what is of
 * one binary, of the kernel, or of one process's generated code shares them.
 */
bool bundle_functions_share_addresses(const struct bundle_function *one, const struct bundle_function *other);
/* What code refers to: an address_name (symbol/disassembly.h), whose context is a struct bundle_place. */
struct bundle_place {
    const struct code_bundle *bundle;
    const struct bundle_function *from;
};
const char *bundle_name_at(void *context, uint64_t addr, uint64_t *ret_offset);
/* The line of an instruction of the function, or NULL. */
const struct bundle_line *bundle_function_line(const struct bundle_function *function, uint64_t dso_addr,
                                               uint64_t size_bytes);

#endif
