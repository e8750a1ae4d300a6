/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words [even]: splits text into words, each with its length before it; lengths are random, or all alike (even). work = bytes. */
#include "../known.h"

enum { ALL = 4 << 20, BYTES = 16 << 10 };

static KNOWN_STEP uint64_t step(const uint8_t *text, uint8_t *out)
{
    uint8_t *length = out, *at = out + 1;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < BYTES; i++) {
        uint8_t letter = text[i];

        if (letter == ' ') {
            *length = (uint8_t)(at - length);
            length = at++;
        } else {
            *at++ = letter ^ 32;
        }
        KNOWN_HIDE(at); /* keeps the branch a branch */
    }
    return BYTES;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool even = strcmp(known_word(&known, 0, "-"), "even") == 0;
    uint8_t *text = known_memory(ALL, KNOWN_SMALL_PAGES), *out = known_memory(BYTES + 8, KNOWN_SMALL_PAGES);
    uint64_t seed = 26, from = 0;

    for (int i = 0, left = 3; i < ALL; i++, left--) {
        text[i] = left ? (uint8_t)('a' + i % 26) : ' ';
        left = left ? left : even ? 4 : (int)(1 + (known_random(&seed) >> 33) % 5);
    }
    for (; known_goes_on(&known); from = (from + BYTES) % ALL)
        known_add(&known, step(text + from, out));
    return known_end(&known);
}
