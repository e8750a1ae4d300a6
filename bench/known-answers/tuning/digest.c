/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest [three]: the processor's CRC of 16 KiB, each step waiting for the one before; three: of three parts side by
 * side. work = words. */
#include "../known.h"

enum { WORDS = 2046, REPEAT = 16 };

static KNOWN_STEP uint64_t step(const uint64_t *data)
{
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < WORDS; i++)
        sum = __builtin_ia32_crc32di(sum, data[i]);
    return sum;
}

static KNOWN_STEP uint64_t three_step(const uint64_t *data)
{
    uint64_t a = 0, b = 0, c = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < WORDS / 3; i++) {
        a = __builtin_ia32_crc32di(a, data[i]);
        b = __builtin_ia32_crc32di(b, data[i + WORDS / 3]);
        c = __builtin_ia32_crc32di(c, data[i + WORDS / 3 * 2]);
    }
    return a ^ b ^ c;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool three = strcmp(known_word(&known, 0, "-"), "three") == 0;
    uint64_t *data = known_memory(WORDS * 8, KNOWN_SMALL_PAGES), seed = 3;

    for (int i = 0; i < WORDS; i++)
        data[i] = known_random(&seed);
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++)
            KNOWN_KEEP(three ? three_step(data) : step(data));
        known_add(&known, WORDS * REPEAT);
    }
    return known_end(&known);
}
