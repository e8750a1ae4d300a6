/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream: ChaCha20 key stream, in ordinary registers: additions, rotations and exclusive-ors, four quarter rounds
 * side by side. work = 64-byte blocks. */
#include "../known.h"

static inline uint32_t turn(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

#define QUARTER(a, b, c, d) \
    (a += b, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 12), a += b, d = turn(d ^ a, 8), c += d, b = turn(b ^ c, 7))

static KNOWN_STEP void step(uint32_t *out, uint32_t *state, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x[16];

        memcpy(x, state, sizeof x);
        for (int round = 0; round < 10; round++) {
            QUARTER(x[0], x[4], x[8], x[12]);
            QUARTER(x[1], x[5], x[9], x[13]);
            QUARTER(x[2], x[6], x[10], x[14]);
            QUARTER(x[3], x[7], x[11], x[15]);
            QUARTER(x[0], x[5], x[10], x[15]);
            QUARTER(x[1], x[6], x[11], x[12]);
            QUARTER(x[2], x[7], x[8], x[13]);
            QUARTER(x[3], x[4], x[9], x[14]);
        }
        for (int word = 0; word < 16; word++)
            out[word] = x[word] + state[word];
        state[12]++;
    }
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t state[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11 }, out[16];

    while (known_goes_on(&known)) {
        step(out, state, 2000);
        KNOWN_KEEP(out);
        known_add(&known, 2000);
    }
    return known_end(&known);
}
