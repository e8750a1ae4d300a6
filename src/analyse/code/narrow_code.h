/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which hot loops compute one number, or 128 bits, at a time although nothing in their code keeps them from more?
 *
 * User code alone. Loops below a hundredth of the samples aren't looked at: they are in no sum.
 * Does not support: what such a loop would gain; memory may be what it waits for.
 */
#ifndef PLUMB_ANALYSE_CODE_NARROW_CODE_H
#define PLUMB_ANALYSE_CODE_NARROW_CODE_H

#include "analyse/loop/loop_width.h"
#include "analyse/stall/stalls.h"

struct narrow_loop {
    const struct stall_function *function;
    uint64_t first_addr, last_addr; /* of its rows, as the decoder has them */
    const char *text;               /* its hottest row's; NULL: not shown */
    uint64_t samples;
    struct loop_width width;        /* LOOP_FREE, and below 256 bits */
};

struct narrow_code {
    struct narrow_loop *loops; /* most samples first */
    size_t count;
    uint64_t branched_samples; /* in loops of integers that only their branches keep from more */
    /*
     * samples at scalar and 128-bit rows of loops that a chain or a store holds; in all of such loops that are narrow
     */
    uint64_t held_fp_rows, held_fp_loops;
};

/* Owner: arena; names are stalls'. */
struct narrow_code narrow_code_of(const struct stalls *stalls, struct arena *arena);

#endif
