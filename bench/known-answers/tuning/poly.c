/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poly: a polynomial of degree 15 at each of 2048 floats, which stay in the nearest cache; eight vectors side by side,
 * so that the multipliers and adders are what there is too little of. -DWIDTH=32 says how wide. work = elements. */
#include "../known.h"

#ifndef WIDTH
#define WIDTH 16
#endif
enum { COUNT = 2048, DEGREE = 15, REPEAT = 16, LANES = WIDTH / 4, VECTORS = 8 };
typedef float lanes __attribute__((vector_size(WIDTH)));

static KNOWN_STEP void step(lanes *restrict to, const lanes *restrict from, const lanes *restrict factors)
{
    for (int i = 0; i < COUNT / LANES; i += VECTORS) {
        lanes y0 = factors[0], y1 = y0, y2 = y0, y3 = y0, y4 = y0, y5 = y0, y6 = y0, y7 = y0;

        KNOWN_AS_WRITTEN
        for (int power = 1; power <= DEGREE; power++) {
            lanes factor = factors[power];

            y0 = y0 * from[i] + factor;
            y1 = y1 * from[i + 1] + factor;
            y2 = y2 * from[i + 2] + factor;
            y3 = y3 * from[i + 3] + factor;
            y4 = y4 * from[i + 4] + factor;
            y5 = y5 * from[i + 5] + factor;
            y6 = y6 * from[i + 6] + factor;
            y7 = y7 * from[i + 7] + factor;
        }
        to[i] = y0;
        to[i + 1] = y1;
        to[i + 2] = y2;
        to[i + 3] = y3;
        to[i + 4] = y4;
        to[i + 5] = y5;
        to[i + 6] = y6;
        to[i + 7] = y7;
    }
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    lanes *from = known_memory(COUNT * 4, KNOWN_SMALL_PAGES), *to = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);
    lanes *factors = known_memory((DEGREE + 1) * WIDTH, KNOWN_SMALL_PAGES);

    for (int i = 0; i <= DEGREE; i++)
        for (int lane = 0; lane < LANES; lane++)
            factors[i][lane] = 1.0f / (float)(i + 1);
    for (int i = 0; i < COUNT; i++)
        from[i / LANES][i % LANES] = (float)i / COUNT;
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++) {
            step(to, from, factors);
            KNOWN_KEEP(to);
        }
        known_add(&known, COUNT * REPEAT);
    }
    return known_end(&known);
}
