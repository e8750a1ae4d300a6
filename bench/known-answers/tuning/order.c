/* SPDX-License-Identifier: GPL-3.0-or-later */
/* order: the C library sorts 2048 random numbers, which fit the nearest cache, again and again. work = sorts. */
#include "../known.h"

enum { COUNT = 2048 };

static int run(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static KNOWN_STEP void step(uint32_t *data, uint64_t *seed)
{
    for (int i = 0; i < COUNT; i++)
        data[i] = (uint32_t)known_random(seed);
    qsort(data, COUNT, sizeof *data, run);
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t *data = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);
    uint64_t seed = 6;

    while (known_goes_on(&known)) {
        step(data, &seed);
        known_add(&known, 1);
    }
    return known_end(&known);
}
