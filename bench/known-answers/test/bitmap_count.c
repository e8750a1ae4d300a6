/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of bitmaps: the bits under one mask are moved under another, and counted.
 * PLAIN does simple operations instead (for the proof only). */
#include "driver.h"
#include <immintrin.h>
#ifndef PLAIN
#define PLAIN 0
#endif

enum { WORDS = 2048 };
static uint64_t map[WORDS], total;

APART static uint64_t run(const uint64_t *m, uint64_t count) {
    uint64_t from = 0x5f5f0ff0ffff1111u, to = 0xff3311ee71ffu;
    OPAQUE(from);
    OPAQUE(to);
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (uint64_t i = 0; i < count; i += 4) {
#if PLAIN
        a += (m[i] & from) ^ to;
        b += (m[i + 1] & from) ^ to;
        c += (m[i + 2] & from) ^ to;
        d += (m[i + 3] & from) ^ to;
#else
        a += (uint64_t)_mm_popcnt_u64(_pdep_u64(_pext_u64(m[i], from), to));
        b += (uint64_t)_mm_popcnt_u64(_pdep_u64(_pext_u64(m[i + 1], from), to));
        c += (uint64_t)_mm_popcnt_u64(_pdep_u64(_pext_u64(m[i + 2], from), to));
        d += (uint64_t)_mm_popcnt_u64(_pdep_u64(_pext_u64(m[i + 3], from), to));
#endif
    }
    return a + b + c + d;
}

static uint64_t step(void) {
    for (int i = 0; i < 100; i++)
        total += run(map, WORDS);
    return 100 * WORDS;
}

int main(int argc, char **argv) {
    uint64_t seed = 19;
    for (int i = 0; i < WORDS; i++)
        map[i] = random_next(&seed);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
