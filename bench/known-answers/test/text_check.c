/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that a text is UTF-8, a character at a time. Arguments: 0 scripts mixed at random, 1 plain ASCII,
 * 2 two-byte letters throughout, 3 one script after the other. */
#include "driver.h"

enum { BYTES = 1 << 18 };
static unsigned char text[BYTES + 16];
static size_t used;
static uint64_t total;

static inline bool tail(unsigned char c) {
    return (c & 0xc0) == 0x80;
}

APART static uint64_t run(const unsigned char *p, const unsigned char *end) {
    uint64_t letters = 0;
    while (p < end) {
        if (*p < 0x80) {
            p += 1;
        } else if (*p >= 0xc2 && *p < 0xe0) {
            if (!tail(p[1]))
                return 0;
            p += 2;
        } else if (*p >= 0xe0 && *p < 0xf0) {
            if (!tail(p[1]) || !tail(p[2]) || (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f))
                return 0;
            p += 3;
        } else if (*p >= 0xf0 && *p < 0xf5) {
            if (!tail(p[1]) || !tail(p[2]) || !tail(p[3]))
                return 0;
            p += 4;
        } else {
            return 0;
        }
        letters++;
    }
    return letters;
}

static uint64_t step(void) {
    uint64_t letters = run(text, text + used);
    total += letters;
    return letters;
}

int main(int argc, char **argv) {
    uint64_t seed = 53, kind = argument(argc, argv, 2, 0);
    while (used < BYTES) {
        uint64_t r = random_next(&seed);
        int length = kind == 1 ? 1 : kind == 2 ? 2 : kind == 3 ? 1 + (int)(used * 4 / BYTES) : 1 + (int)(r % 4);
        static const unsigned char lead[5] = {0, 'a', 0xc5, 0xe3, 0xf1};
        text[used++] = lead[length];
        for (int i = 1; i < length; i++)
            text[used++] = 0x80 | (unsigned char)((r >> (8 * i)) & 0x3f);
    }
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
