/* SPDX-License-Identifier: GPL-3.0-or-later */
/* modulo [fast]: a chain of remainders, by division; fast: by two multiplications with a number made once.
 * work = remainders. */
#include "../known.h"

static KNOWN_STEP uint64_t step(uint64_t state, uint64_t divisor, uint64_t count)
{
    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++)
        state = (state + 0x7fffffffu) % divisor;
    return state;
}

/* Right for 32-bit numbers (Lemire, Kaser, Kurz: Faster remainder by direct computation). */
static KNOWN_STEP uint64_t fast_step(uint64_t state, uint64_t divisor, uint64_t count)
{
    uint64_t inverse = UINT64_MAX / divisor + 1;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++)
        state = (uint64_t)((unsigned __int128)(inverse * (state + 0x7fffffffu)) * divisor >> 64);
    return state;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool fast = strcmp(known_word(&known, 0, "-"), "fast") == 0;
    uint64_t state = 1, divisor = 999983;

    KNOWN_HIDE(divisor);
    while (known_goes_on(&known)) {
        state = fast ? fast_step(state, divisor, 20000) : step(state, divisor, 20000);
        known_add(&known, 20000);
    }
    KNOWN_KEEP(state);
    return known_end(&known);
}
