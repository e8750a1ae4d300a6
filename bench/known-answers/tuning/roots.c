/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roots: square roots and quotients of 16 KiB of floats, none waiting for another. work = elements. */
#include "../known.h"

enum { COUNT = 2048, REPEAT = 8 };

static KNOWN_STEP void step(float *to, const float *from)
{
    for (int i = 0; i < COUNT; i++)
        to[i] = 1.0f / __builtin_sqrtf(from[i]);
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    float *from = known_memory(COUNT * 4, KNOWN_SMALL_PAGES), *to = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);

    for (int i = 0; i < COUNT; i++)
        from[i] = (float)i + 1;
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++) {
            step(to, from);
            KNOWN_KEEP(to);
        }
        known_add(&known, COUNT * REPEAT);
    }
    return known_end(&known);
}
