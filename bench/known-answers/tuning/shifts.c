/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shifts: adds up numbers chosen by branches that go either way for a millisecond, then multiplies in a chain for a
 * millisecond, and so on: by the clock, so half and half for certain. work = turns. */
#include "../known.h"

enum { COUNT = 1 << 20, PIECE = 1 << 12 };

static KNOWN_STEP uint64_t part_1(const uint32_t *data)
{
    uint64_t sum = 0;

    for (int i = 0; i < PIECE; i++)
        if (data[i] >= 0x80000000u) {
            KNOWN_HIDE(sum); /* keeps the branch a branch */
            sum += data[i];
        }
    return sum;
}

static KNOWN_STEP double part_2(double state, double factor, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        state = state * factor + 1.0;
    return state;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint32_t *data = known_memory(COUNT * 4, KNOWN_HUGE_PAGES);
    uint64_t seed = 11, at = 0;
    double state = 1, factor = 0.5;

    for (int i = 0; i < COUNT; i++)
        data[i] = (uint32_t)(known_random(&seed) >> 32);
    while (known_goes_on(&known)) {
        for (double until = known_cpu_seconds() + 0.001; known_cpu_seconds() < until; at = (at + PIECE) % COUNT)
            KNOWN_KEEP(part_1(data + at));
        for (double until = known_cpu_seconds() + 0.001; known_cpu_seconds() < until;)
            state = part_2(state, factor, 10000);
        known_add(&known, 1);
    }
    KNOWN_KEEP(&state);
    return known_end(&known);
}
