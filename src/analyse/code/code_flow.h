/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where can control come from, and which loops are there, in the code of one function?
 *
 * Basic blocks by direct branches, dominators, natural loops; loops that share their head are one. Blocks that no
 * direct branch reaches (targets of jump tables, landing pads) count as entries. Does not support: irreducible loops,
 * loops closed by an indirect jump.
 */
#ifndef PLUMB_ANALYSE_CODE_CODE_FLOW_H
#define PLUMB_ANALYSE_CODE_CODE_FLOW_H

#include "base/arena.h"
#include "base/vec.h"
#include "symbol/disassembly.h"

#define FLOW_NONE UINT32_MAX

struct flow_loop {
    uint32_t head;        /* row */
    uint32_t first, last; /* rows between which its body lies */
    uint32_t parent;      /* FLOW_NONE: outermost */
    uint32_t depth;       /* 1: outermost */
    uint32_t row_count;
};

struct code_flow {
    size_t row_count;
    uint32_t *branch_first;   /* of row: into branches; row_count + 1 of them */
    uint32_t *branches;       /* rows that branch to a row, by target */
    uint32_t *loop_of_row;    /* innermost, or FLOW_NONE */
    struct flow_loop *loops;  /* outer before inner */
    size_t loop_count;
    bool has_indirect_jumps;
};

/* All memory is the arena's. Rows are sorted by address. */
struct code_flow code_flow_of(const struct instruction *rows, size_t row_count, struct arena *arena);
/* Row of an address, or FLOW_NONE. */
uint32_t code_flow_row(const struct instruction *rows, size_t row_count, uint64_t addr);

#endif
