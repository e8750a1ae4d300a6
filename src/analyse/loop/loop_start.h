/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a register hold when a loop begins, by the straight code in front of it?
 *
 * Does not support: what lies before a jump, a call or 32 instructions; loops that are entered elsewhere too.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_START_H
#define PLUMB_ANALYSE_LOOP_LOOP_START_H

#include "symbol/disassembly.h"

struct loop_start { /* another register's value there, or 0 (REGISTER_NONE), plus a constant */
    bool known;
    uint8_t from; /* the register itself: nothing writes it there */
    int64_t sum;
};

/* head: the loop's first row. */
struct loop_start loop_start_of(const struct instruction *rows, uint32_t head, uint8_t number);

#endif
