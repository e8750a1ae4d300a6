/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ahead SIZE: adds up words from all over a table, each asked for 12 turns before it is used. work = loads. */
#include "../known.h"

enum { AHEAD = 12 };

static KNOWN_STEP uint64_t step(const uint64_t *table, const uint32_t *places, uint64_t count)
{
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++) {
        __builtin_prefetch(&table[places[i + AHEAD]]);
        sum += table[places[i]];
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t mask = known_size(&known, 0, 256u << 20) / 8 - 1, seed = 1, count = 1 << 20, piece = 16384, at = 0;
    uint64_t *table = known_memory((mask + 1) * 8, KNOWN_HUGE_PAGES);
    uint32_t *places = known_memory((count + AHEAD) * 4, KNOWN_HUGE_PAGES);

    for (uint64_t i = 0; i < count + AHEAD; i++)
        places[i] = (uint32_t)(known_random(&seed) & mask);
    while (known_goes_on(&known)) {
        KNOWN_KEEP(step(table, places + at, piece));
        known_add(&known, piece);
        at = (at + piece) % count;
    }
    return known_end(&known);
}
