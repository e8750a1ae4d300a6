/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swaps: turns the bytes of eight vectors round, over and over; only one unit moves bytes within a vector. work = vectors. */
#include <immintrin.h>

#include "../known.h"

static KNOWN_STEP __m128i step(__m128i order, uint64_t count)
{
    __m128i a = order, b = order, c = order, d = order, e = order, f = order, g = order, h = order;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++) {
        a = _mm_shuffle_epi8(a, order);
        b = _mm_shuffle_epi8(b, order);
        c = _mm_shuffle_epi8(c, order);
        d = _mm_shuffle_epi8(d, order);
        e = _mm_shuffle_epi8(e, order);
        f = _mm_shuffle_epi8(f, order);
        g = _mm_shuffle_epi8(g, order);
        h = _mm_shuffle_epi8(h, order);
        __asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    __m128i order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    while (known_goes_on(&known)) {
        __m128i result = step(order, 50000);

        KNOWN_KEEP(&result);
        known_add(&known, 50000 * 8);
    }
    return known_end(&known);
}
