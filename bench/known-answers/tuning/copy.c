/* SPDX-License-Identifier: GPL-3.0-or-later */
/* copy SIZE: the C library copies one half of SIZE bytes to the other, a MiB at a time. work = bytes copied. */
#include "../known.h"

static KNOWN_STEP void step(char *to, const char *from, size_t length)
{
    memcpy(to, from, length);
    KNOWN_KEEP(to);
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t half = known_size(&known, 0, 256u << 20) / 2, piece = 1 << 20, at = 0;
    char *data = known_memory(half * 2, KNOWN_HUGE_PAGES);

    while (known_goes_on(&known)) {
        step(data + half + at, data + at, piece);
        known_add(&known, piece);
        at = (at + piece) % half;
    }
    return known_end(&known);
}
