/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What distances between addresses are whole numbers of (Euclid); 0 with 0 is 0. */
#ifndef PLUMB_ANALYSE_MEMORY_COMMON_DIVISOR_H
#define PLUMB_ANALYSE_MEMORY_COMMON_DIVISOR_H

#include <stdint.h>

static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
