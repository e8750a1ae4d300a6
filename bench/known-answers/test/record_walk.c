/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks records of variable length in a 16 KiB log: the first byte of each says where the next begins.
 * FIXED steps by a constant instead (for the proof only). */
#include "driver.h"
#ifndef FIXED
#define FIXED 0
#endif

enum { BYTES = 16384 };
static unsigned char log_bytes[BYTES + 64];
static uint64_t total;

APART static uint64_t run(const unsigned char *p, const unsigned char *end) {
    uint64_t records = 0;
    while (p < end) {
#if FIXED
        records += p[0];
        p += 24;
#else
        records += 1;
        p += p[0];
#endif
    }
    return records;
}

static uint64_t step(void) {
    for (int i = 0; i < 200; i++)
        total += run(log_bytes, log_bytes + BYTES);
    return 200 * (BYTES / 24);
}

int main(int argc, char **argv) {
    uint64_t seed = 29;
    for (int i = 0; i < BYTES;) {
        int length = 16 + (int)(random_next(&seed) % 17);
        log_bytes[i] = (unsigned char)length;
        i += length;
    }
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
