/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kinds [sorted]: calls, for each of a long list of things, the function of its kind, of which there are eight;
 * sorted: kind after kind. work = calls. */
#include "../known.h"

enum { COUNT = 1 << 20, PIECE = 1 << 15, KINDS = 8 };

struct thing {
    uint64_t (*run)(uint64_t);
};

#define PART(number, expression) \
    static uint64_t part_##number(uint64_t x) { return expression; }
PART(0, x + 1)
PART(1, x ^ 5)
PART(2, x - 3)
PART(3, x << 1)
PART(4, x | 9)
PART(5, ~x)
PART(6, x >> 1)
PART(7, x + x)

static KNOWN_STEP uint64_t step(const struct thing *things, uint64_t state)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < PIECE; i++)
        state = things[i].run(state);
    return state;
}

int main(int argc, char **argv)
{
    static uint64_t (*const parts[KINDS])(uint64_t) = { part_0, part_1, part_2, part_3, part_4, part_5, part_6, part_7 };
    struct known known = known_begin(argc, argv);
    bool sorted = strcmp(known_word(&known, 0, "-"), "sorted") == 0;
    struct thing *things = known_memory(COUNT * sizeof *things, KNOWN_HUGE_PAGES);
    uint64_t seed = 9, at = 0, state = 1;

    for (uint64_t i = 0; i < COUNT; i++)
        things[i].run = parts[sorted ? i * KINDS / COUNT : known_random(&seed) >> 61];
    while (known_goes_on(&known)) {
        state = step(things + at, state);
        known_add(&known, PIECE);
        at = (at + PIECE) % COUNT;
    }
    KNOWN_KEEP(state);
    return known_end(&known);
}
