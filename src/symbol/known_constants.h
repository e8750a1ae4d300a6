/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which algorithm do the constants belong to that code refers to? The S-box of AES, the intervals of CABAC, the
 * polynomial of CRC-32: whoever has these computes that.
 *
 * Source: data/known_constants.tsv. Does not support: constants that code makes while it runs.
 */
#ifndef PLUMB_SYMBOL_KNOWN_CONSTANTS_H
#define PLUMB_SYMBOL_KNOWN_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum known_kind {
    KNOWN_TABLE,  /* data begin with these */
    KNOWN_NUMBERS /* all of them stand in the instructions */
};

struct known_constant {
    enum known_kind kind;
    uint8_t element_bytes, count;
    const char *bytes; /* element_bytes * count, the lowest byte of each first */
    const char *words; /* "AES's S-box" */
};

extern const struct known_constant known_constant_rows[];
extern const size_t known_constant_row_count;

enum { KNOWN_BEFORE_MOST = 8, KNOWN_BEHIND_MOST = 16 };

enum known_use {
    KNOWN_COUNTED_FROM, /* the place may lie in front of its table, which is counted from 1 */
    KNOWN_READ          /* what stands at the place itself is read: what lies behind is another's */
};

/*
 * What the constant data are that a place is given of, in words: its first elements. bytes: from `before` bytes in
 * front of the place, KNOWN_BEFORE_MOST at most. NULL: not known.
 */
const char *known_table(const uint8_t *bytes, size_t size_bytes, size_t before, enum known_use use);

enum { KNOWN_NUMBERS_MOST = 128 };

struct known_numbers { /* of one function; begins as zeros */
    uint8_t met[KNOWN_NUMBERS_MOST]; /* by row of numbers, one bit for each */
};

/* Note a number of an instruction; returns what it completes, in words, or NULL. */
const char *known_numbers_take(struct known_numbers *numbers, int64_t value);

#endif
