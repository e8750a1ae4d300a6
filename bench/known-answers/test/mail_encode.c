/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Base64 of a 3 KiB attachment. */
#include "driver.h"

enum { BYTES = 3072 };
static unsigned char raw[BYTES];
static char text[BYTES / 3 * 4];
static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

APART static void run(const unsigned char *in, char *out) {
    for (int i = 0; i < BYTES; i += 3, out += 4) {
        uint32_t group = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
        out[0] = letter[group >> 18];
        out[1] = letter[(group >> 12) & 63];
        out[2] = letter[(group >> 6) & 63];
        out[3] = letter[group & 63];
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 50; i++)
        run(raw, text);
    return 50 * BYTES;
}

int main(int argc, char **argv) {
    uint64_t seed = 83;
    for (int i = 0; i < BYTES; i++)
        raw[i] = (unsigned char)random_next(&seed);
    return drive(argc, argv, step);
}
