/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What are the parameters of the kernel's functions called, and where in its structs do members lie? From its own type
 * information (BTF).
 *
 * A raw tracepoint hands over its arguments by position; __bpf_trace_NAME has their names, by which a program can be
 * sure of them. One walk of our own over 5 MB takes 1 ms, where libbpf takes 50 to load them: it keeps where each 64th
 * type is, and the functions of one prefix. Hostile bytes are expected.
 * Does not support: the other byte order; what types members have; bit fields.
 * Source: Documentation/bpf/btf.rst.
 */
#ifndef PLUMB_DECODE_BTF_H
#define PLUMB_DECODE_BTF_H

#include "base/bytes.h"
#include "base/text.h"

enum { BTF_STEP = 64 };

struct btf_part {
    const uint8_t *types, *strings;
    size_t types_bytes, strings_bytes;
    uint32_t *marks;     /* of each BTF_STEP-th type, its offset into types; owner: the btf */
    uint32_t *functions; /* offsets of those whose names begin with the prefix; owner: the btf */
    size_t count, mark_capacity, function_count, function_capacity;
};

struct btf {
    struct btf_part base, module; /* a module's types and strings go on where the kernel's end */
};

/*
 * For functions whose names begin with prefix. Views last as long as the bytes. False: they aren't BTF; done is still
 * due.
 */
bool btf_begin(struct btf *btf, struct view kernel, struct view module_or_empty, const char *prefix);
void btf_done(struct btf *btf);
/* Whether the function has parameters of these names, in this order, behind its first `skip` ones; ends with NULL. */
bool btf_has_parameters(const struct btf *btf, const char *function, unsigned skip, const char *const *names,
                        size_t most);

struct btf_member {
    const char *type, *name; /* of a struct; also within its unnamed structs and unions */
    uint32_t offset_bytes;   /* when found */
    bool found;
};

/*
 * In one walk: those of the module's struct, where it has one of that name, else of the kernel's. Returns how many were
 * found.
 */
size_t btf_members_find(const struct btf *btf, struct btf_member *members, size_t count);

#endif
