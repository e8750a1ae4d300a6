/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table-driven automaton over text: state = table[state][class[byte]]. SPLIT runs four texts side by side. */
#include "driver.h"
#ifndef SPLIT
#define SPLIT 1
#endif

enum { STATES = 16, BYTES = 8192 };
static unsigned char table[STATES][256], text[BYTES];
static uint64_t total;

APART static uint64_t run(const unsigned char *t, int count) {
    uint64_t state[SPLIT], sum = 0;
    for (int k = 0; k < SPLIT; k++)
        state[k] = (uint64_t)k;
    for (int i = 0; i < count / SPLIT; i++)
#pragma GCC unroll 8
        for (int k = 0; k < SPLIT; k++)
            state[k] = table[state[k]][t[k * (count / SPLIT) + i]];
    for (int k = 0; k < SPLIT; k++)
        sum += state[k];
    return sum;
}

static uint64_t step(void) {
    for (int i = 0; i < 20; i++)
        total += run(text, BYTES);
    return 20 * BYTES;
}

int main(int argc, char **argv) {
    uint64_t seed = 31;
    for (int s = 0; s < STATES; s++)
        for (int b = 0; b < 256; b++)
            table[s][b] = (unsigned char)(random_next(&seed) % STATES);
    for (int i = 0; i < BYTES; i++)
        text[i] = (unsigned char)random_next(&seed);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
