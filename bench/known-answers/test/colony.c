/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Game of life, 64 cells in a word, 256 x 1024 cells that wrap round. */
#include "driver.h"

enum { ROWS = 128, WORDS = 8 };
static uint64_t now[ROWS][WORDS], after[ROWS][WORDS];

#define ADD(s0, s1, s2, v) \
    { \
        uint64_t v_ = (v), c0 = s0 & v_, c1 = s1 & c0; \
        s0 ^= v_; \
        s1 ^= c0; \
        s2 |= c1; \
    }

APART static void run(uint64_t (*from)[WORDS], uint64_t (*to)[WORDS]) {
    for (int r = 0; r < ROWS; r++) {
        const uint64_t *up = from[(r - 1) & (ROWS - 1)], *mid = from[r], *low = from[(r + 1) & (ROWS - 1)];
        for (int w = 0; w < WORDS; w++) {
            int left = (w - 1) & (WORDS - 1), right = (w + 1) & (WORDS - 1);
            uint64_t s0 = 0, s1 = 0, s2 = 0;
            ADD(s0, s1, s2, up[w])
            ADD(s0, s1, s2, up[w] << 1 | up[left] >> 63)
            ADD(s0, s1, s2, up[w] >> 1 | up[right] << 63)
            ADD(s0, s1, s2, mid[w] << 1 | mid[left] >> 63)
            ADD(s0, s1, s2, mid[w] >> 1 | mid[right] << 63)
            ADD(s0, s1, s2, low[w])
            ADD(s0, s1, s2, low[w] << 1 | low[left] >> 63)
            ADD(s0, s1, s2, low[w] >> 1 | low[right] << 63)
            to[r][w] = ~s2 & s1 & (s0 | mid[w]);
        }
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 10; i++) {
        run(now, after);
        run(after, now);
    }
    return 20 * ROWS * WORDS * 64;
}

int main(int argc, char **argv) {
    uint64_t seed = 97;
    for (int i = 0; i < ROWS * WORDS; i++)
        now[i / WORDS][i % WORDS] = random_next(&seed) & random_next(&seed);
    return drive(argc, argv, step);
}
