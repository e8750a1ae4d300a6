/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block function of ChaCha20, in plain C. */
#include "driver.h"

static uint32_t key[16], block[16], total;

#define TURN(v, by) ((v) << (by) | (v) >> (32 - (by)))
#define QUARTER(a, b, c, d) \
    a += b; d ^= a; d = TURN(d, 16); \
    c += d; b ^= c; b = TURN(b, 12); \
    a += b; d ^= a; d = TURN(d, 8); \
    c += d; b ^= c; b = TURN(b, 7);

APART static void run(const uint32_t *in, uint32_t *out) {
    uint32_t a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
    uint32_t i = in[8], j = in[9], k = in[10], l = in[11], m = in[12], n = in[13], o = in[14], p = in[15];
    for (int round = 0; round < 10; round++) {
        QUARTER(a, e, i, m) QUARTER(b, f, j, n) QUARTER(c, g, k, o) QUARTER(d, h, l, p)
        QUARTER(a, f, k, p) QUARTER(b, g, l, m) QUARTER(c, h, i, n) QUARTER(d, e, j, o)
    }
    uint32_t all[16] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
    for (int w = 0; w < 16; w++)
        out[w] = in[w] + all[w];
}

static uint64_t step(void) {
    for (int i = 0; i < 1000; i++) {
        key[12]++;
        run(key, block);
        total ^= block[3];
    }
    return 1000;
}

int main(int argc, char **argv) {
    uint64_t seed = 89;
    for (int i = 0; i < 16; i++)
        key[i] = (uint32_t)random_next(&seed);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
