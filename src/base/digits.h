/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is a number written by the million? Into memory that the caller has made room in: no terminating NUL, no locale.
 */
#ifndef PLUMB_BASE_DIGITS_H
#define PLUMB_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    DIGITS_MOST = 20, /* of 64 bits, decimal */
    HEX_WIDTH = 16
};

/* At the right of at least `width` columns. Returns the end. Writes at most max(width, DIGITS_MOST) bytes. */
static inline char *digits_decimal(char *at, uint64_t value, size_t width, char fill)
{
    char digits[DIGITS_MOST];
    size_t first = sizeof(digits);
    for (; value >= 100; value /= 100) {
        unsigned pair = (unsigned)(value % 100);
        digits[--first] = (char)('0' + pair % 10);
        digits[--first] = (char)('0' + pair / 10);
    }
    if (value >= 10) {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    }
    digits[--first] = (char)('0' + value);
    size_t length = sizeof(digits) - first;
    for (; width > length; width--)
        *at++ = fill;
    memcpy(at, digits + first, length);
    return at + length;
}

/* Sixteen columns, blanks before the first digit. Returns the end. */
static inline char *digits_hex_wide(char *at, uint64_t value)
{
    size_t first = HEX_WIDTH;
    do {
        at[--first] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    memset(at, ' ', first);
    return at + HEX_WIDTH;
}

#endif
