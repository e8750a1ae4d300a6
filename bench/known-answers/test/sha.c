/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 of a message of many blocks. */
#include "driver.h"

static uint32_t state[8], constant[64];
static unsigned char message[64 * 16];

#define TURN(v, by) ((v) >> (by) | (v) << (32 - (by)))

APART static void run(const unsigned char *p) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        uint32_t word;
        memcpy(&word, p + 4 * i, 4);
        w[i] = __builtin_bswap32(word);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = TURN(w[i - 15], 7) ^ TURN(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = TURN(w[i - 2], 17) ^ TURN(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = h + (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25)) + (g ^ (e & (f ^ g))) + constant[i] + w[i];
        uint32_t t2 = (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22)) + ((a & b) | (c & (a | b)));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

static uint64_t step(void) {
    for (int i = 0; i < 320; i++)
        run(message + 64 * (i % 16));
    return 320;
}

int main(int argc, char **argv) {
    uint64_t seed = 101;
    for (int i = 0; i < 64; i++)
        constant[i] = (uint32_t)random_next(&seed);
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)random_next(&seed);
    return drive(argc, argv, step);
}
