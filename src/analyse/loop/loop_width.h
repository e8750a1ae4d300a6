/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Could a loop compute several of its elements at once, and how many bits does it compute at once now?
 *
 * Judged by the code alone, and strictly: each turn goes the same way to an end that its data don't decide, its
 * operands follow one another in memory, nothing but counters and sums goes from turn to turn, and vectors have its
 * instructions. Whatever isn't certain is an obstacle.
 * Does not support: AArch64 (LOOP_UNTOLD: no mnemonics); whether two pointers overlap; how many turns there
 * are, unless the code in front of the loop says it.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_WIDTH_H
#define PLUMB_ANALYSE_LOOP_LOOP_WIDTH_H

#include "analyse/loop/loop_path.h"

enum loop_obstacle {
    LOOP_FREE,
    LOOP_UNTOLD,    /* its instructions aren't known well enough */
    LOOP_CALLS,
    LOOP_NESTED,    /* another loop is in it */
    LOOP_BRANCHES,  /* a turn goes different ways, or its data decide whether it is the last */
    LOOP_SCATTERED, /* reads or writes at places that don't follow one another */
    LOOP_CARRIED,   /* a turn needs what the turn before computed */
    LOOP_STORED,    /* so through memory */
    LOOP_NO_FORM,   /* an instruction that vectors don't have, or one that is no faster there (a division) */
    LOOP_NO_WORK,   /* only counts or copies, or touches no memory */
    LOOP_OBSTACLES
};

struct loop_width {
    enum loop_obstacle obstacle;
    uint16_t bits;         /* of data, computed at once: 8 to 64 for one number, else 128, 256, 512; 0: not known */
    uint16_t element_bits; /* one number at a time: of that number; 0: vectors */
    /* of data in all turns together, where the code says how many there are: no vector holds more; 0: it doesn't */
    uint32_t most_bits;
    bool is_fp;            /* works on floating-point numbers */
    bool sums_fp;          /* adds them up in order: another order changes the last digits */
};

struct loop_width loop_width_of(const struct instruction *rows, struct loop_rows loop, struct arena *arena);

#endif
