/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inserts [sorted]: sorts sixteen numbers at a time by putting each in its place; sorted: they are. work = numbers. */
#include "../known.h"

enum { ALL = 1 << 20, COUNT = 1 << 12, GROUP = 16 };

static KNOWN_STEP uint64_t step(const uint32_t *data, uint32_t *out)
{
    for (int group = 0; group < COUNT; group += GROUP) {
        uint32_t *to = out + group;

        for (int i = 0; i < GROUP; i++) {
            uint32_t value = data[group + i];
            int at = i;

            for (; at > 0 && to[at - 1] > value; at--)
                to[at] = to[at - 1];
            to[at] = value;
        }
    }
    return COUNT;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool sorted = strcmp(known_word(&known, 0, "-"), "sorted") == 0;
    uint32_t *data = known_memory(ALL * 4, KNOWN_SMALL_PAGES), *out = known_memory(COUNT * 4, KNOWN_SMALL_PAGES);
    uint64_t seed = 25, from = 0;

    for (int i = 0; i < ALL; i++)
        data[i] = sorted ? (uint32_t)i : (uint32_t)(known_random(&seed) >> 32);
    for (; known_goes_on(&known); from = (from + COUNT) % ALL)
        known_add(&known, step(data + from, out));
    return known_end(&known);
}
