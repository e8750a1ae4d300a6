/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pick SIZE [huge]: adds up words from all over a table; the places don't depend on what is loaded. work = loads. */
#include "../known.h"

static KNOWN_STEP uint64_t step(const uint64_t *table, uint64_t mask, uint64_t from, uint64_t count)
{
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (uint64_t i = from; i < from + count; i++) {
        uint64_t place = i * 0x9e3779b97f4a7c15u;

        sum += table[(place ^ (place >> 29)) & mask];
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t mask = known_size(&known, 0, 64u << 20) / 8 - 1;
    uint64_t *table = known_memory((mask + 1) * 8, known_pages(&known, 1)), from = 0;

    while (known_goes_on(&known)) {
        KNOWN_KEEP(step(table, mask, from, 20000));
        from += 20000;
        known_add(&known, 20000);
    }
    return known_end(&known);
}
