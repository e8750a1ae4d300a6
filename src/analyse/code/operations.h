/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What kind of computing is the hot code at, by the instructions that stand there?
 *
 * Told by instructions that a compiler, or a person, takes for one purpose: a sample counts for what is computed in the
 * loop around it, in a long loop or outside of loops for what stands a few instructions before and behind it. Moves and
 * shuffles serve any kind of computing and aren't counted; plain sums and comparisons tell nothing, and code of those
 * alone counts for nothing. Where samples fall within a few instructions doesn't matter. x86-64, user code alone. Does
 * not support: how many of them ran; what limits them (analyse/bottleneck says that).
 */
#ifndef PLUMB_ANALYSE_CODE_OPERATIONS_H
#define PLUMB_ANALYSE_CODE_OPERATIONS_H

#include "analyse/stall/stalls.h"

enum operation { /* the rarer first: one of them tells more than many of those behind it */
                 OPERATION_AES,
                 OPERATION_SHA,
                 OPERATION_CHECKSUM,      /* CRC, carry-less products */
                 OPERATION_DIFFERENCES,   /* sums of absolute differences of bytes */
                 OPERATION_TRANSFORMED,   /* absolute values of sums and differences of the same numbers, added up */
                 OPERATION_SQUARES,       /* of 16-bit integers */
                 OPERATION_BYTE_SEARCH,   /* many bytes compared at once, and the one that is equal found */
                 OPERATION_WIDE_PRODUCTS, /* products of two words, twice as long */
                 OPERATION_X87,
                 OPERATION_VECTOR_FP,
                 OPERATION_SCALAR_FP,
                 OPERATION_SMALL_PRODUCTS, /* of vectors of 8- and 16-bit integers */
                 OPERATION_SMALL_INTEGERS, /* such vectors, added and compared */
                 OPERATION_INTEGER_VECTORS,
                 OPERATION_ROTATIONS, /* of words, many of them */
                 OPERATION_DIVISIONS, /* integer */
                 OPERATION_PRODUCTS,  /* integer */
                 OPERATION_BITS,      /* counted, found, gathered */
                 OPERATION_BYTES,     /* loaded one by one */
                 OPERATION_COUNT
};

struct operations {
    double samples[OPERATION_COUNT];
    const char *mnemonics[OPERATION_COUNT]; /* what most of these samples lie around; NULL: none */
};

/* Owner of the strings: stalls. */
struct operations operations_of(const struct stalls *stalls);
/* "adds up differences of bytes": what code does. */
const char *operation_words(enum operation operation);

#endif
