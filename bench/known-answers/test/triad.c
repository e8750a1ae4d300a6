/* SPDX-License-Identifier: GPL-3.0-or-later */
/* a = b + s c over three arrays. Arguments: doubles in an array. */
#include "driver.h"

static double *a, *b, *c;
static uint64_t length;

APART static void run(double *restrict out, const double *restrict in, const double *restrict other, uint64_t count, double scale) {
    for (uint64_t i = 0; i < count; i++)
        out[i] = in[i] + scale * other[i];
}

static uint64_t step(void) {
    uint64_t rounds = length < 100000 ? 400000 / length : 1;
    for (uint64_t r = 0; r < rounds; r++)
        run(a, b, c, length, 0.5);
    return rounds * length;
}

int main(int argc, char **argv) {
    length = argument(argc, argv, 2, 4u << 20);
    a = memory_take(length * sizeof *a, false);
    b = memory_take(length * sizeof *b, false);
    c = memory_take(length * sizeof *c, false);
    return drive(argc, argv, step);
}
