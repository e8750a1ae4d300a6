/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How wide are the vectors that the hot code works with? Of all samples, the share at instructions of each width.
 *
 * The one account of it: the terminal, the page and the JSON show this, so that they can't disagree. Does not support:
 * widths of instructions that were not sampled.
 */
#ifndef PLUMB_ANALYSE_CODE_VECTOR_WIDTH_H
#define PLUMB_ANALYSE_CODE_VECTOR_WIDTH_H

#include "analyse/stall/stalls.h"

enum {
    VECTOR_WIDTH_COUNT = 4
};

enum vector_width_state {
    VECTOR_WIDTH_UNKNOWN, /* most of the hot instructions couldn't be read */
    VECTOR_WIDTH_NONE,    /* next to none: general registers alone */
    VECTOR_WIDTH_SHARES
};

struct vector_width {
    enum vector_width_state state;
    double no_vectors;                 /* 0..1 of all samples: counting, jumps, the kernel's apart */
    double shares[VECTOR_WIDTH_COUNT]; /* one number at a time, 128, 256, 512 bits: likewise */
};

struct vector_width vector_width_of(const struct stalls *stalls);
/* "one number at a time", "128 bits"; "scalar_fp", "bits_128". */
const char *vector_width_words(size_t at);
const char *vector_width_key(size_t at);

#endif
