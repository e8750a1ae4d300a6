/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrix times vector, compressed rows of 16, with the vector's other passes of an iterative solver around it.
 * Arguments: log2 of the vector's length, 1 when a row's columns lie near the diagonal. */
#include "driver.h"
#ifndef NEAR
#define NEAR 0
#endif

enum { ROW = 16 };
static double *x, *y;
static uint32_t *column;
static float *value;
static uint64_t rows, columns, first;
static double norm;

APART static void multiply(uint64_t from, uint64_t to) {
    for (uint64_t r = from; r < to; r++) {
        double sum = 0;
        for (uint64_t k = r * ROW; k < (r + 1) * ROW; k++)
            sum += (double)value[k] * x[column[k]];
        y[r] = sum;
    }
}

APART static double residual(uint64_t from, uint64_t to) {
    double sum = 0;
    for (uint64_t r = from; r < to; r++)
        sum += y[r] * y[r];
    return sum;
}

static uint64_t step(void) {
    uint64_t piece = rows < 4096 ? rows : 4096;
    multiply(first, first + piece);
    norm += residual(first, first + piece);
    first = (first + piece) % rows;
    return piece;
}

int main(int argc, char **argv) {
    columns = (uint64_t)1 << argument(argc, argv, 2, 23);
    bool near = argument(argc, argv, 3, NEAR);
    rows = (uint64_t)1 << 16;
    x = memory_take(columns * sizeof *x, false);
    y = memory_take(rows * sizeof *y, false);
    column = memory_take(rows * ROW * sizeof *column, false);
    value = memory_take(rows * ROW * sizeof *value, false);
    uint64_t seed = 5;
    for (uint64_t k = 0; k < rows * ROW; k++) {
        uint64_t r = k / ROW;
        column[k] = near ? (uint32_t)((r * (columns / rows ? columns / rows : 1) + k % ROW) & (columns - 1)) : (uint32_t)(random_next(&seed) & (columns - 1));
        value[k] = (float)(k % 7) * 0.25f;
    }
    int status = drive(argc, argv, step);
    return norm == 1 ? 1 : status;
}
