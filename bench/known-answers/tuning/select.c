/* SPDX-License-Identifier: GPL-3.0-or-later */
/* select [free]: adds up what is above the middle, of random numbers, by a branch; free: by a mask. work = numbers. */
#include "../known.h"

enum { COUNT = 1 << 20, PIECE = 1 << 15 };

static KNOWN_STEP uint64_t step(const uint32_t *data)
{
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < PIECE; i++)
        if (data[i] >= 0x80000000u) {
            KNOWN_HIDE(sum); /* keeps the branch a branch */
            sum += data[i];
        }
    return sum;
}

static KNOWN_STEP uint64_t free_step(const uint32_t *data)
{
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < PIECE; i++)
        sum += data[i] & (uint32_t)((int32_t)data[i] >> 31);
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool free_of_branches = strcmp(known_word(&known, 0, "-"), "free") == 0;
    uint32_t *data = known_memory(COUNT * 4, KNOWN_HUGE_PAGES);
    uint64_t seed = 5, at = 0;

    for (int i = 0; i < COUNT; i++)
        data[i] = (uint32_t)(known_random(&seed) >> 32);
    while (known_goes_on(&known)) {
        KNOWN_KEEP(free_of_branches ? free_step(data + at) : step(data + at));
        known_add(&known, PIECE);
        at = (at + PIECE) % COUNT;
    }
    return known_end(&known);
}
