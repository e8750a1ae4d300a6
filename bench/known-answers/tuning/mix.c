/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mix [COUNT]: one multiply waits for the one before; no memory. work = multiplies,
 * COUNT between two entries of the loop. */
#include "../known.h"

static KNOWN_STEP uint64_t step(uint64_t state, uint64_t factor, uint64_t count)
{
    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++)
        state = state * factor + 1;
    return state;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t count = known_size(&known, 0, 200000), state = 1, factor = 6364136223846793005u;

    KNOWN_HIDE(factor);
    while (known_goes_on(&known)) {
        state = step(state, factor, count);
        known_add(&known, count);
    }
    KNOWN_KEEP(state);
    return known_end(&known);
}
