/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a function begin and end, when no symbol says so, and how is its caller found? A stripped binary still
 * describes the stack frames of its functions (.eh_frame), for exceptions and unwinding.
 *
 * Source: Linux Standard Base, "Exception Frames"; System V x86-64 psABI. Looked up in .eh_frame_hdr's sorted table;
 * statically linked programs often have none: for them an index is made of .eh_frame itself.
 * Does not support: .debug_frame, tables in other encodings than linkers write.
 */
#ifndef PLUMB_SYMBOL_ELF_FRAME_TABLE_H
#define PLUMB_SYMBOL_ELF_FRAME_TABLE_H

#include "base/vec.h"
#include "symbol/elf/elf_file.h"


/* One function's description: the instructions of call_frames.h, and what they are relative to. */
struct frame_description {
    uint64_t start, end;        /* ELF addresses */
    struct bytes common, own;   /* instructions of all functions of its kind, then its own */
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    bool is_signal;             /* a signal's trampoline: its caller was interrupted, it did not call */
};

/* By .eh_frame_hdr. */
bool frame_table_find(const struct elf_file *elf, uint64_t addr, struct frame_description *ret_description);
bool frame_table_is_sorted(const struct elf_file *elf); /* whether there is an .eh_frame_hdr */

struct frame_index_entry {
    uint64_t start, end, addr; /* of the function, and of its description */
};

struct frame_index {
    vec(struct frame_index_entry) entries; /* by start */
};

/* Read every description of .eh_frame; damaged ones end it. Owner: the caller (vec_done of the entries). */
void frame_index_build(struct frame_index *index, const struct elf_file *elf);
bool frame_index_find(const struct frame_index *index, const struct elf_file *elf, uint64_t addr,
                      struct frame_description *ret_description);

#endif
