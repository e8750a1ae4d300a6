/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Out-of-place transposition of a matrix of doubles. Arguments: the matrix's side, 1 for pages of 2 MiB. */
#include "driver.h"
#ifndef TILE
#define TILE 0
#endif

static double *from, *to;
static uint64_t side, row;

#if TILE
APART static void run(uint64_t first, uint64_t count) {
    for (uint64_t r = first; r < first + count; r += TILE)
        for (uint64_t c = 0; c < side; c += TILE)
            for (uint64_t i = r; i < r + TILE; i++)
                for (uint64_t j = c; j < c + TILE; j++)
                    to[j * (side + 8) + i] = from[i * (side + 8) + j];
}
#else
APART static void run(uint64_t first, uint64_t count) {
    for (uint64_t r = first; r < first + count; r++)
        for (uint64_t c = 0; c < side; c++)
            to[c * (side + 8) + r] = from[r * (side + 8) + c];
}
#endif

static uint64_t step(void) {
    run(row, 32);
    row = (row + 32) % side;
    return 32 * side;
}

int main(int argc, char **argv) {
    side = argument(argc, argv, 2, 3072);
    bool large = argument(argc, argv, 3, 0);
    from = memory_take(side * (side + 8) * sizeof *from, large);
    to = memory_take(side * (side + 8) * sizeof *to, large);
    return drive(argc, argv, step);
}
