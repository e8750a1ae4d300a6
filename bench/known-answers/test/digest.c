/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A message digest in the manner of MD5: 64 steps, each waiting for the one before. TWO digests two messages at once. */
#include "driver.h"
#ifndef MESSAGES
#define MESSAGES 1
#endif

static uint32_t message[4][16], constant[64], total;
static const unsigned char turn[4] = {7, 12, 17, 22};

static inline uint32_t rotated(uint32_t v, int by) {
    return v << by | v >> (32 - by);
}

APART static uint32_t run(int blocks) {
    uint32_t a[MESSAGES], b[MESSAGES], c[MESSAGES], d[MESSAGES], sum = 0;
    for (int m = 0; m < MESSAGES; m++) {
        a[m] = 0x67452301u;
        b[m] = 0xefcdab89u;
        c[m] = 0x98badcfeu;
        d[m] = 0x10325476u;
    }
    for (int n = 0; n < blocks; n++) {
#pragma GCC unroll 64
        for (int i = 0; i < 64; i++)
#pragma GCC unroll 4
            for (int m = 0; m < MESSAGES; m++) {
                uint32_t f = i < 32 ? d[m] ^ (b[m] & (c[m] ^ d[m])) : b[m] ^ c[m] ^ d[m];
                uint32_t next = b[m] + rotated(a[m] + f + constant[i] + message[m][i * 5 % 16], turn[i % 4]);
                a[m] = d[m];
                d[m] = c[m];
                c[m] = b[m];
                b[m] = next;
            }
    }
    for (int m = 0; m < MESSAGES; m++)
        sum += a[m] + b[m];
    return sum;
}

static uint64_t step(void) {
    total += run(512);
    return 512 * MESSAGES;
}

int main(int argc, char **argv) {
    uint64_t seed = 41;
    for (int i = 0; i < 64; i++)
        constant[i] = (uint32_t)random_next(&seed);
    for (int i = 0; i < 64; i++)
        message[i / 16][i % 16] = (uint32_t)random_next(&seed);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
