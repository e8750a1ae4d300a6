/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The running kernel's functions as they were found before: to print its table of symbols costs the kernel some 60 ms,
 * to read and sort what it printed another 20, together more than many a report takes else.
 *
 * One file of the user's own in the cache folder (base/file/cache_folder.h), good for as long as the machine runs with
 * the same modules and BPF programs. Nothing is kept where that can't be told. What it doesn't follow: trampolines of
 * tracing and slots of probes ("[__builtin__ftrace]"), which come and go unseen; a sample in a later one has no name.
 */
#ifndef PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H
#define PLUMB_SYMBOL_NAMES_KEPT_KALLSYMS_H

#include "base/text.h"
#include "symbol/symbol_index.h"
#include "system/sysroot.h"

/* Looked into where it lies: of 10^5 functions a recording needs some hundred. */
struct kept_kallsyms {
    struct view map;          /* the file; owner (kept_kallsyms_done) */
    const uint8_t *functions; /* unaligned */
    size_t count;             /* 0: nothing is kept */
    struct view names;
    uint64_t text_addr;       /* where the kernel's code begins; 0: it didn't say */
};

/* False: nothing is kept that holds now. */
bool kept_kallsyms_open(const struct sysroot *root, struct kept_kallsyms *ret_kept);
void kept_kallsyms_done(struct kept_kallsyms *kept);
/* The function's number, or SYMBOL_INDEX_NONE. Its name points into the file. */
uint32_t kept_kallsyms_find(const struct kept_kallsyms *kept, uint64_t address, struct indexed_symbol *ret_found);
/* Keep what /proc/kallsyms said, sorted; quietly not, where that can't be. */
void kept_kallsyms_write(const struct sysroot *root, const struct symbol_index *index, uint64_t text_addr);

/* What stands in the file behind its head. False: it is none of ours. */
bool kept_kallsyms_of(struct view body, struct kept_kallsyms *ret_kept);
/* False: a name is too long for it. */
bool kept_kallsyms_pack(struct text *out, const struct symbol_index *index, uint64_t text_addr);

#endif
