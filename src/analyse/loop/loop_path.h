/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions does one turn of a loop run, in which order, and where do their memory operands move?
 *
 * A loop without inner branches has one path. At an inner branch the way with the samples is taken, and `is_straight`
 * is false: what is computed for the path is then approximate. Addresses are followed as register-at-the-top plus a
 * constant, through copies and additions of constants.
 * Does not support: inner loops (their rows count once a turn), switches.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_PATH_H
#define PLUMB_ANALYSE_LOOP_LOOP_PATH_H

#include "analyse/code/loop_chain.h"
#include "base/arena.h"

/*
 * What a register holds: a symbol plus a constant. Symbols below 64: that register at the top of the turn; else what
 * position - 64 made.
 */
#define SYMBOL_NOTHING  UINT32_MAX
#define SYMBOL_MADE_FIRST 64

struct loop_address {
    bool known;      /* false: no memory operand, or one that isn't a sum of registers */
    uint32_t base, index; /* symbols; SYMBOL_NOTHING */
    uint32_t scale;
    uint8_t segment;
    int64_t offset;  /* in turn 0 */
    uint32_t size_bytes;
    bool steps;      /* moves by `step` bytes a turn; 0: stays */
    int64_t step;
};

struct loop_path {
    const struct instruction *all; /* the rows given */
    uint32_t *rows;                /* by position */
    struct loop_address *addresses; /* by position */
    uint32_t count;
    bool is_straight; /* every row of the loop runs once in every turn */
    bool is_closed;   /* ends at a jump to the head */
    bool has_calls, has_inner_loop;
    bool wraps;       /* an address begins anew now and then, by a conditional move; steps are of the other turns */
    bool step_known[64]; /* by register: adds a constant a turn, or stays */
    int64_t step[64];
};

/* row_weights: samples by row of the function, or NULL. Memory is the arena's. */
struct loop_path loop_path_of(const struct instruction *rows, struct loop_rows loop, const double *row_weights,
                              struct arena *arena);

#endif
