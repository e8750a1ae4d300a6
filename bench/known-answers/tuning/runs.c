/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs [even]: writes out runs of bytes, each 1 to 8 long at random; even: by turns of eight lengths that repeat. work = runs. */
#include "../known.h"

enum { ALL = 1 << 20, RUNS = 1 << 14, MOST = 8 };

static KNOWN_STEP uint64_t step(const uint8_t *lengths, uint8_t *out)
{
    uint8_t *at = out;

    for (int i = 0; i < RUNS; i++) {
        KNOWN_AS_WRITTEN
        for (int left = lengths[i]; left; left--) {
            *at++ = (uint8_t)i;
            KNOWN_HIDE(at); /* one byte a turn, as it is written */
        }
        if (at - out > (4 << 10) - MOST)
            at = out;
    }
    return RUNS;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool even = strcmp(known_word(&known, 0, "-"), "even") == 0;
    uint8_t *lengths = known_memory(ALL, KNOWN_SMALL_PAGES), *out = known_memory(4 << 10, KNOWN_SMALL_PAGES);
    uint64_t seed = 21, from = 0;

    for (int i = 0; i < ALL; i++)
        lengths[i] = (uint8_t)(1 + (even ? (uint64_t)(i * 5 & 7) : known_random(&seed) >> 61));
    for (; known_goes_on(&known); from = (from + RUNS) % ALL)
        known_add(&known, step(lengths + from, out));
    return known_end(&known);
}
