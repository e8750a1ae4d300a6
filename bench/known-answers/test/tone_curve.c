/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies a tone curve (a polynomial) to a line of 1024 pixels; a pixel does not wait for another.
 * Defined: DEGREE. */
#include "driver.h"
#ifndef DEGREE
#define DEGREE 13
#endif

enum { PIXELS = 1024 };
static float pixel[PIXELS], toned[PIXELS], coefficient[DEGREE + 1];

APART static void run(const float *restrict in, float *restrict out, const float *restrict given) {
    float c[DEGREE + 1];
    for (int i = 0; i <= DEGREE; i++)
        c[i] = given[i];
    for (int i = 0; i < PIXELS; i++) {
        float r = c[DEGREE];
#pragma GCC unroll 16
        for (int k = DEGREE - 1; k >= 0; k--)
            r = r * in[i] + c[k];
        out[i] = r;
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 500; i++)
        run(pixel, toned, coefficient);
    return 500 * PIXELS;
}

int main(int argc, char **argv) {
    for (int i = 0; i < PIXELS; i++)
        pixel[i] = (float)i / PIXELS;
    for (int i = 0; i <= DEGREE; i++)
        coefficient[i] = 0.3f / (float)(i + argc);
    return drive(argc, argv, step);
}
