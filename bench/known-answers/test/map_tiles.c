/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interleaves the bits of tile coordinates (Morton order) and takes a checksum; blocks of 512 tiles. */
#include "driver.h"

enum { TILES = 512 };
static uint32_t across[TILES], down[TILES];
static uint64_t code[TILES];

static inline uint64_t spread(uint64_t v) {
    v = (v | v << 16) & 0x0000ffff0000ffffu;
    v = (v | v << 8) & 0x00ff00ff00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
    v = (v | v << 2) & 0x3333333333333333u;
    return (v | v << 1) & 0x5555555555555555u;
}

APART static void run(void) {
    for (int i = 0; i < TILES; i++)
        code[i] = spread(across[i]) | spread(down[i]) << 1;
}

static uint64_t step(void) {
    for (int i = 0; i < 100; i++) {
        run();
        across[i] += (uint32_t)code[i];
    }
    return 100 * TILES;
}

int main(int argc, char **argv) {
    uint64_t seed = 79;
    for (int i = 0; i < TILES; i++) {
        across[i] = (uint32_t)random_next(&seed);
        down[i] = (uint32_t)random_next(&seed);
    }
    return drive(argc, argv, step);
}
