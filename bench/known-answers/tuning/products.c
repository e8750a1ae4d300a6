/* SPDX-License-Identifier: GPL-3.0-or-later */
/* products: eight products side by side; only one multiplier takes 64-bit integers. work = multiplies. */
#include "../known.h"

static KNOWN_STEP uint64_t step(uint64_t factor, uint64_t count)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++) {
        a *= factor;
        b *= factor;
        c *= factor;
        d *= factor;
        e *= factor;
        f *= factor;
        g *= factor;
        h *= factor;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)); /* nothing is foreseen */
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t factor = 3;

    KNOWN_HIDE(factor);
    while (known_goes_on(&known)) {
        KNOWN_KEEP(step(factor, 50000));
        known_add(&known, 50000 * 8);
    }
    return known_end(&known);
}
