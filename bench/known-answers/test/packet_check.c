/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32 of packets, a byte at a time through a table. FREE breaks the chain (for the proof only). */
#include "driver.h"
#ifndef FREE
#define FREE 0
#endif

enum { BYTES = 1500 };
static uint32_t table[256];
static unsigned char packet[8][BYTES];
static uint32_t total;

APART static uint32_t run(const unsigned char *data, int count) {
    uint32_t crc = ~0u;
#if FREE
    for (int i = 0; i < count; i++)
        crc += table[data[i]] ^ 0x55u;
#else
    for (int i = 0; i < count; i++)
        crc = table[(crc ^ data[i]) & 255] ^ (crc >> 8);
#endif
    return ~crc;
}

static uint64_t step(void) {
    for (int i = 0; i < 80; i++)
        total ^= run(packet[i % 8], BYTES);
    return 80 * BYTES;
}

int main(int argc, char **argv) {
    uint64_t seed = 17;
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[n] = c;
    }
    for (int p = 0; p < 8; p++)
        for (int i = 0; i < BYTES; i++)
            packet[p][i] = (unsigned char)random_next(&seed);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
