/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mix: one multiply waits for the one before; no memory. work = multiplies. */
#include "../known.h"

static KNOWN_STEP uint64_t step(uint64_t state, uint64_t factor, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        state = state * factor + 1;
    return state;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t state = 1, factor = 6364136223846793005u;

    KNOWN_HIDE(factor);
    while (known_goes_on(&known)) {
        state = step(state, factor, 200000);
        known_add(&known, 200000);
    }
    KNOWN_KEEP(state);
    return known_end(&known);
}
