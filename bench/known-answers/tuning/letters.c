/* SPDX-License-Identifier: GPL-3.0-or-later */
/* letters: makes 8 KiB of text upper case, a letter at a time and without branches; no letter waits for another.
 * work = letters. */
#include "../known.h"

enum { COUNT = 8192, REPEAT = 8 };

static KNOWN_STEP void step(unsigned char *to, const unsigned char *from)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i++) {
        uint32_t letter = from[i], small = (letter - 'a') < 26u;

        KNOWN_HIDE(small); /* one letter at a time */
        to[i] = (unsigned char)(letter ^ (small << 5));
    }
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    unsigned char *from = known_memory(COUNT, KNOWN_SMALL_PAGES), *to = known_memory(COUNT + 64, KNOWN_SMALL_PAGES);
    uint64_t seed = 10;

    to += 64; /* not the same place in its page as from */
    for (int i = 0; i < COUNT; i++)
        from[i] = (unsigned char)(known_random(&seed) % 96 + 32);
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++) {
            step(to, from);
            KNOWN_KEEP(to);
        }
        known_add(&known, COUNT * REPEAT);
    }
    return known_end(&known);
}
