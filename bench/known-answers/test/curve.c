/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates a polynomial of degree 15 whose argument is the last result (an orbit), by Horner's rule or by halves. */
#include "driver.h"
#ifndef HALVES
#define HALVES 0
#endif
#ifndef APART_EACH
#define APART_EACH 0
#endif

static double coefficient[16], x = 0.3;

static inline double curve_at(const double *c, double v) {
#if HALVES
    double v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
    double a = (c[0] + c[1] * v) + (c[2] + c[3] * v) * v2, b = (c[4] + c[5] * v) + (c[6] + c[7] * v) * v2;
    double d = (c[8] + c[9] * v) + (c[10] + c[11] * v) * v2, e = (c[12] + c[13] * v) + (c[14] + c[15] * v) * v2;
    return (a + b * v4) + (d + e * v4) * v8;
#else
    double r = c[15];
    for (int i = 14; i >= 0; i--)
        r = r * v + c[i];
    return r;
#endif
}

APART static double run(double v, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
#if APART_EACH
        sum += curve_at(coefficient, v + i);
#else
        v = curve_at(coefficient, v);
#endif
    return v + sum * 1e-9;
}

static uint64_t step(void) {
    x = run(x, 10000);
    return 10000;
}

int main(int argc, char **argv) {
    for (int i = 0; i < 16; i++)
        coefficient[i] = 0.4 / (i + 1.0 + (double)argc);
    int status = drive(argc, argv, step);
    return x == 77 ? 1 : status;
}
