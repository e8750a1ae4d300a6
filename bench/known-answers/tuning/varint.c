/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varint [even]: writes numbers seven bits a byte, 1 to 5 bytes each at random; even: by turns of four lengths. work = numbers. */
#include "../known.h"

enum { ALL = 1 << 20, COUNT = 1 << 12, ROOM = COUNT * 5 };

static KNOWN_STEP uint64_t step(const uint32_t *numbers, uint8_t *out)
{
    uint8_t *at = out;

    for (int i = 0; i < COUNT; i++) {
        uint32_t left = numbers[i];

        KNOWN_AS_WRITTEN
        while (left >= 128) {
            *at++ = (uint8_t)(left | 128);
            left >>= 7;
        }
        *at++ = (uint8_t)left;
    }
    return COUNT;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool even = strcmp(known_word(&known, 0, "-"), "even") == 0;
    uint32_t *numbers = known_memory(ALL * 4, KNOWN_SMALL_PAGES);
    uint8_t *out = known_memory(ROOM, KNOWN_SMALL_PAGES);
    uint64_t seed = 22, from = 0;

    for (int i = 0; i < ALL; i++) {
        uint64_t random = known_random(&seed);
        unsigned shift = even ? (unsigned)(i & 3) * 7 : (unsigned)(random >> 33) % 5 * 7;

        numbers[i] = (uint32_t)random >> shift | (shift >= 28 ? 8 : 0);
    }
    for (; known_goes_on(&known); from = (from + COUNT) % ALL)
        known_add(&known, step(numbers + from, out));
    return known_end(&known);
}
