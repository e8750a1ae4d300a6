/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up each column of a picture of floats that is stored by rows. Arguments: the side. */
#include "driver.h"
#ifndef BY_ROW
#define BY_ROW 0
#endif

static float *pixel;
static double *sums;
static uint64_t side, column;

#if BY_ROW
APART static void run(uint64_t first, uint64_t count) {
    for (uint64_t r = first; r < first + count; r++)
        for (uint64_t c = 0; c < side; c++)
            sums[c] += (double)pixel[r * side + c];
}
#else
APART static void run(uint64_t first, uint64_t count) {
    for (uint64_t c = first; c < first + count; c++) {
        double sum = 0;
        for (uint64_t r = 0; r < side; r++)
            sum += (double)pixel[r * side + c];
        sums[c] = sum;
    }
}
#endif

static uint64_t step(void) {
    run(column, 4);
    column = (column + 4) % side;
    return 4 * side;
}

int main(int argc, char **argv) {
    side = argument(argc, argv, 2, 4600);
    pixel = memory_take(side * side * sizeof *pixel, false);
    sums = memory_take(side * sizeof *sums, false);
    return drive(argc, argv, step);
}
