/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counter: a sum kept in memory because its owner might look: each addition loads what the one before stored.
 * work = additions. */
#include "../known.h"

struct meter {
    volatile uint64_t total;
};

static KNOWN_STEP void step(struct meter *meter, const uint32_t *data, int count)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < count; i++)
        meter->total = meter->total + data[i];
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t *data = known_memory(16384, KNOWN_SMALL_PAGES);
    struct meter meter = { 0 };

    while (known_goes_on(&known)) {
        for (int i = 0; i < 8; i++)
            step(&meter, data, 4096);
        known_add(&known, 4096 * 8);
    }
    return known_end(&known);
}
