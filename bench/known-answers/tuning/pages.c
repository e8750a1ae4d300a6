/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pages PAGES [huge]: one line in each of so many pages, in shuffled order, each address the load before. work = loads.
 * The lines lie at different places in their pages: as few as PAGES x 64 bytes, spread over all cache sets. */
#include "../known.h"

static KNOWN_STEP char *step(char *at, uint64_t count)
{
    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++)
        at = *(char **)at;
    return at;
}

static char *line_of(char *area, uint64_t page)
{
    return area + page * 4096 + (page * 5 + (page >> 6)) % 64 * 64;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t mask = known_size(&known, 0, 8192) - 1;
    char *area = known_memory((mask + 1) * 4096, known_pages(&known, 1)), *at = line_of(area, 0);

    for (uint64_t i = 0; i <= mask; i++)
        *(char **)line_of(area, i) = line_of(area, known_ring_next(i, mask));
    while (known_goes_on(&known)) {
        at = step(at, 20000);
        known_add(&known, 20000);
    }
    KNOWN_KEEP(at);
    return known_end(&known);
}
