/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of quotients modulo a prime that the compiler does not know, as a hash table with a prime size does it.
 * BARRETT replaces the division by a multiplication with a precomputed inverse. */
#include "driver.h"
#ifndef BARRETT
#define BARRETT 0
#endif

enum { KEYS = 1024 };
static uint64_t key[KEYS];
static uint32_t bucket[1024];
static uint64_t prime, inverse;

APART static void run(void) {
    for (int i = 0; i < KEYS; i++) {
#if BARRETT
        uint64_t q = (uint64_t)(((unsigned __int128)key[i] * inverse) >> 64);
        uint64_t r = key[i] - q * prime;
        r -= r >= prime ? prime : 0;
#else
        uint64_t r = key[i] % prime;
#endif
        bucket[r]++;
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 20; i++)
        run();
    return 20 * KEYS;
}

int main(int argc, char **argv) {
    uint64_t seed = 37;
    prime = 1020 + (uint64_t)(argc > 0);
    inverse = ~0ull / prime;
    for (int i = 0; i < KEYS; i++)
        key[i] = random_next(&seed) >> 1;
    return drive(argc, argv, step);
}
