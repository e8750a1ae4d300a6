/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytesum: a CRC by table, a byte at a time: each step looks its table up by what the step before gave. The table
 * and the data stay in the nearest cache. work = bytes. */
#include "../known.h"

enum { COUNT = 8192, REPEAT = 4 };

static KNOWN_STEP uint32_t step(const uint32_t *table, const unsigned char *data, uint32_t sum)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i++)
        sum = table[(sum ^ data[i]) & 255] ^ (sum >> 8);
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t *table = known_memory(1024, KNOWN_SMALL_PAGES), sum = 0;
    unsigned char *data = known_memory(COUNT, KNOWN_SMALL_PAGES);
    uint64_t seed = 4;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (int i = 0; i < COUNT; i++)
        data[i] = (unsigned char)known_random(&seed);
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++)
            sum = step(table, data, sum);
        known_add(&known, COUNT * REPEAT);
    }
    KNOWN_KEEP(sum);
    return known_end(&known);
}
