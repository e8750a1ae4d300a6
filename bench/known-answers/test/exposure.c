/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brightness histogram of pictures, for equalising them: one table, or four that are added up.
 * Arguments: 1 for a picture of noise instead of a night sky (almost all pixels black). */
#include "driver.h"
#ifndef TABLES
#define TABLES 1
#endif

enum { PIXELS = 16384 };
static unsigned char picture[PIXELS];
static uint32_t table[TABLES][256];
static unsigned char lookup[256];

APART static void count(const unsigned char *p, int pixels) {
    for (int i = 0; i < pixels; i += 4) {
        table[0][p[i]]++;
        table[1 % TABLES][p[i + 1]]++;
        table[2 % TABLES][p[i + 2]]++;
        table[3 % TABLES][p[i + 3]]++;
    }
}

APART static void equalise(void) {
    uint32_t sum = 0;
    for (int i = 0; i < 256; i++) {
        for (int t = 0; t < TABLES; t++)
            sum += table[t][i];
        lookup[i] = (unsigned char)(sum >> 8);
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 20; i++) {
        count(picture, PIXELS);
        equalise();
    }
    return 20 * PIXELS;
}

int main(int argc, char **argv) {
    uint64_t seed = 23;
    bool noise = argument(argc, argv, 2, 0);
    for (int i = 0; i < PIXELS; i++) {
        uint64_t r = random_next(&seed);
        picture[i] = (unsigned char)(noise || r % 200 == 0 ? r >> 32 : 0);
    }
    int status = drive(argc, argv, step);
    return lookup[3] == 1 && lookup[4] == 0 ? 1 : status;
}
