/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks a byte stream of literals and copies in the manner of LZ77: a token says how many literals follow, how long
 * the copy is and how far back. Arguments: 1 when the tokens repeat after eight. */
#include "driver.h"

enum { OUT = 1 << 17 };
static unsigned char packed[OUT * 2], plain[OUT + 64];
static size_t packed_bytes;

APART static size_t run(const unsigned char *in, const unsigned char *end, unsigned char *out) {
    unsigned char *start = out;
    while (in < end) {
        unsigned token = *in++, literals = token >> 4, copied = token & 15;
        while (literals >= 4) {
            memcpy(out, in, 4);
            out += 4;
            in += 4;
            literals -= 4;
        }
        while (literals) {
            *out++ = *in++;
            literals--;
        }
        if (copied) {
            size_t back = in[0] | (size_t)in[1] << 8;
            const unsigned char *from = out - back;
            in += 2;
            if (copied > 8) {
                memcpy(out, from, 8);
                memcpy(out + 8, from + 8, 8);
            } else {
                memcpy(out, from, 8);
            }
            out += copied;
        }
    }
    return (size_t)(out - start);
}

static uint64_t step(void) {
    return run(packed, packed + packed_bytes, plain);
}

int main(int argc, char **argv) {
    uint64_t seed = 73;
    bool regular = argument(argc, argv, 2, 0);
    size_t made = 0, first = 1, tokens = 0;
    while (made < OUT - 64) {
        if (regular && tokens++ % 8 == 0)
            seed = 73;
        uint64_t r = random_next(&seed);
        unsigned literals = (unsigned)(r % 8), copied = (unsigned)((r >> 8) % 4 ? (r >> 16) % 16 : 0);
        if (first)
            literals = 15, copied = 0;
        if (made < 64)
            copied = 0;
        packed[packed_bytes++] = (unsigned char)(literals << 4 | copied);
        for (unsigned i = 0; i < literals; i++)
            packed[packed_bytes++] = (unsigned char)(r >> (i % 8 * 8));
        made += literals + copied;
        if (copied) {
            size_t back = 16 + (r >> 32) % (made - copied > 4000 ? 4000 : made - copied - 20);
            packed[packed_bytes++] = (unsigned char)back;
            packed[packed_bytes++] = (unsigned char)(back >> 8);
        }
        first = 0;
    }
    return drive(argc, argv, step);
}
