/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was mapped where, and when: one address space per process image, plus the kernel's.
 *
 * A mapping's dso (a file, "[vdso]", "//anon", the kernel) is interned by path and build id. Within a
 * dso, code is named by `dso_addr`: the file offset for files and the vdso, the runtime address for
 * the kernel, its modules, BPF programs, and anonymous memory (whose dso is then private to the process).
 */
#ifndef PLUMB_MODEL_ADDRESS_SPACE_H
#define PLUMB_MODEL_ADDRESS_SPACE_H

#include "base/hashmap.h"
#include "decode/record.h"

#include <stdbool.h>
#include <stdint.h>

#define DSO_NONE UINT32_MAX
#define SPACE_KERNEL 0

enum dso_kind {
    DSO_FILE,
    DSO_KERNEL, /* vmlinux, by kallsyms */
    DSO_MODULE,
    DSO_VDSO,
    DSO_VSYSCALL,
    DSO_ANONYMOUS, /* JIT code: perf map, jitdump, or copied pages */
    DSO_BPF,       /* ksymbol records */
    DSO_UNKNOWN    /* no mapping covers the address: "[unknown]" */
};

struct dso {
    enum dso_kind kind;
    uint32_t path;      /* string id, as recorded */
    uint32_t name;      /* string id: the last part of path, as reports show it */
    uint32_t owner_pid; /* DSO_ANONYMOUS: whose; DSO_FILE: one process that maps it, for /proc/PID/root */
    struct build_id build_id;
};

struct mapping {
    uint64_t start, end; /* runtime addresses, end exclusive */
    uint64_t file_offset;
    uint32_t dso;
    uint32_t protection; /* PROT_*; 0 when not recorded */
    uint64_t since_ns;   /* mapped at; 0: before the recording */
};

struct address_space {
    uint32_t pid;
    struct mapping *mappings; /* sorted by start, not overlapping: the state after the last record added */
    size_t count, capacity;
    uint32_t generation; /* counts changes */
    struct mapping *left; /* while exec works for the program before: that one's mappings; NULL else */
    size_t left_count;
    bool exec_has_mapped; /* all code that it maps, the vdso last: what comes next is the new program's own doing */
};

struct address_spaces {
    struct address_space *items; /* items[SPACE_KERNEL] is the kernel's */
    size_t count, capacity;
    struct dso *dsos;
    size_t dso_count, dso_capacity;
    struct hashmap dso_by_key;
    struct hashmap build_id_by_path; /* string id of a path to an index of build_ids */
    struct build_id *build_ids;
    size_t build_id_count, build_id_capacity;
};

void address_spaces_init(struct address_spaces *spaces, struct strings *strings);
void address_spaces_done(struct address_spaces *spaces);
uint32_t address_spaces_begin(struct address_spaces *spaces, uint32_t pid);
/* A copy of parent's mappings for a forked process. */
uint32_t address_spaces_fork(struct address_spaces *spaces, uint32_t parent_space, uint32_t pid);
/* What a path's build id is, where its mappings don't say (build-id records and the header's table). */
void address_spaces_build_id(struct address_spaces *spaces, struct strings *strings, const char *path,
                             const struct build_id *build_id, enum cpu_mode mode);
/* exec: the mappings make room, and are wholly gone when the new program maps code: until it runs, the old one is
 * what called the kernel. */
void address_spaces_leave(struct address_spaces *spaces, uint32_t space);
/* Add a mapping, cutting or replacing what it overlaps. */
void address_spaces_map(struct address_spaces *spaces, struct strings *strings, uint32_t space,
                        const struct record_mmap *map, uint64_t time_ns);
/* A piece of kernel code that came (BPF program, ftrace trampoline, kprobe page) or, with gone, went. */
void address_spaces_ksymbol(struct address_spaces *spaces, struct strings *strings,
                            const struct record_ksymbol *symbol, bool gone, uint64_t time_ns);
/* The mapping that holds addr now, or NULL. Valid until the next change. */
const struct mapping *address_spaces_find(const struct address_spaces *spaces, uint32_t space, uint64_t addr);
/* The dso of addresses that no mapping covers (kind DSO_UNKNOWN). */
uint32_t address_spaces_unknown_dso(const struct address_spaces *spaces);
/* The dso of kernel code that belongs to no module (kind DSO_KERNEL). */
uint32_t address_spaces_kernel_dso(const struct address_spaces *spaces);
/* What `dso_addr` of addr is within the mapping. */
uint64_t address_spaces_dso_addr(const struct address_spaces *spaces, const struct mapping *mapping, uint64_t addr);

#endif
