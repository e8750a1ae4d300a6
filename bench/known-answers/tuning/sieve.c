/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sieve [sorted]: copies what is below the middle to one place and the rest to another; sorted: the same, in order. work = numbers. */
#include "../known.h"

enum { ALL = 1 << 20, COUNT = 1 << 12 };

static KNOWN_STEP uint64_t step(const uint32_t *data, uint32_t *low, uint32_t *high)
{
    uint32_t *to_low = low, *to_high = high;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i++) {
        if (data[i] < 0x80000000u) {
            *to_low++ = data[i];
            KNOWN_HIDE(to_low); /* keeps the branch a branch */
        } else {
            *to_high++ = ~data[i];
            KNOWN_HIDE(to_high);
        }
    }
    return COUNT;
}

static int by_size(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t *data = known_memory(ALL * 4, KNOWN_SMALL_PAGES), *low = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);
    uint32_t *high = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);
    uint64_t seed = 23, from = 0;

    for (int i = 0; i < ALL; i++)
        data[i] = (uint32_t)(known_random(&seed) >> 32);
    if (strcmp(known_word(&known, 0, "-"), "sorted") == 0)
        qsort(data, ALL, sizeof *data, by_size);
    for (; known_goes_on(&known); from = (from + COUNT) % ALL)
        known_add(&known, step(data + from, low, high));
    return known_end(&known);
}
