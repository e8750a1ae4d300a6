/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throws dice by a congruential generator: one stream, or eight streams side by side. */
#include "driver.h"
#ifndef STREAMS
#define STREAMS 1
#endif

static uint64_t state[STREAMS], total;

APART static uint64_t run(int count) {
    uint64_t s[STREAMS], sum = 0;
    for (int k = 0; k < STREAMS; k++)
        s[k] = state[k];
    for (int i = 0; i < count / STREAMS; i++)
#pragma GCC unroll 8
        for (int k = 0; k < STREAMS; k++) {
            s[k] = s[k] * 6364136223846793005u + 1442695040888963407u;
            s[k] ^= s[k] >> 29;
            s[k] *= 0x2545f4914f6cdd1du;
            sum += s[k] >> 61;
        }
    for (int k = 0; k < STREAMS; k++)
        state[k] = s[k];
    return sum;
}

static uint64_t step(void) {
    total += run(80000);
    return 80000;
}

int main(int argc, char **argv) {
    for (int k = 0; k < STREAMS; k++)
        state[k] = (uint64_t)(k + argc) * 0x9e3779b97f4a7c15u;
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
