/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mandelbrot set, rows of points inside the set, so that every point takes all iterations; one point at a time, or
 * eight side by side. */
#include "driver.h"
#ifndef BESIDE
#define BESIDE 1
#endif

static double total;

APART static double run(double cx, double cy, int iterations) {
    double x[BESIDE], y[BESIDE], c[BESIDE], sum = 0;
    for (int k = 0; k < BESIDE; k++) {
        x[k] = y[k] = 0;
        c[k] = cx + k * 1e-4;
    }
    for (int n = 0; n < iterations; n++) {
        bool out = true;
        for (int k = 0; k < BESIDE; k++) {
            double xx = x[k] * x[k], yy = y[k] * y[k];
            out &= xx + yy > 4;
            y[k] = 2 * x[k] * y[k] + cy;
            x[k] = xx - yy + c[k];
        }
        if (out)
            break;
    }
    for (int k = 0; k < BESIDE; k++)
        sum += x[k];
    return sum;
}

static uint64_t step(void) {
    for (int i = 0; i < 80; i++)
        total += run(-0.2 + i * 1e-4, 0.1, 1000);
    return 80 * 1000 * BESIDE;
}

int main(int argc, char **argv) {
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
