/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: six short chains of additions and logic side by side, all in registers: as many instructions as the processor
 * takes in. work = turns. */
#include "../known.h"

static KNOWN_STEP uint64_t step(uint64_t x, uint64_t count)
{
    uint64_t a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++) {
        a += x;
        b ^= x;
        c -= x;
        d += 7;
        e ^= 11;
        f += x;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
        a ^= 5;
        b += 3;
        c ^= x;
        d -= x;
        e += x;
        f ^= 9;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
    return a ^ b ^ c ^ d ^ e ^ f;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t x = 12345;

    KNOWN_HIDE(x);
    while (known_goes_on(&known)) {
        KNOWN_KEEP(step(x, 30000));
        known_add(&known, 30000);
    }
    return known_end(&known);
}
