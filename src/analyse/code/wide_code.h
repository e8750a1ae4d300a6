/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions hold wide vector code, of the kind that some cores lower their clock for, and how hot is it?
 *
 * Heavy: floating-point arithmetic and integer multiplications; light: the rest (moves, logic, integer additions).
 * Light 256-bit code costs no clock anywhere and isn't looked at. Source: Intel's optimisation manual, "Skylake server:
 * power management" (licence 1: heavy 256-bit or light 512-bit code; licence 2: heavy 512-bit code).
 */
#ifndef PLUMB_ANALYSE_CODE_WIDE_CODE_H
#define PLUMB_ANALYSE_CODE_WIDE_CODE_H

#include "analyse/stall/stalls.h"

enum wide_kind { /* the more, the lower the clock */
    WIDE_NONE,
    WIDE_HEAVY_256,
    WIDE_LIGHT_512,
    WIDE_HEAVY_512,
    WIDE_KINDS
};

const char *wide_kind_words(enum wide_kind kind); /* "512-bit multiply-adds and the like" */

struct wide_code {
    uint64_t samples[WIDE_KINDS]; /* at such instructions, user code */
    bool stands[WIDE_KINDS];      /* in a function that ran, sampled or not */
    const struct stall_function *function[WIDE_KINDS]; /* the hottest that holds it; NULL: none */
    const char *mnemonic[WIDE_KINDS]; /* of its hottest such instruction; NULL: not told */
};

enum wide_kind instruction_wide_kind(const struct instruction *instruction);
/* Owner of the strings: stalls. */
struct wide_code wide_code_of(const struct stalls *stalls);
/* At 512-bit instructions, and at 256-bit ones where their own sort is heavy. */
uint64_t wide_code_samples(const struct wide_code *code);

#endif
