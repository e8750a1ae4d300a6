/* SPDX-License-Identifier: GPL-3.0-or-later */
/* join [ahead]: looks random keys up in a table, each through three places of which one says where the next is;
 * ahead: 16 keys side by side, each place asked for a turn before. work = keys. */
#include "../known.h"

enum { KEYS = 4096, GROUP = 16 };

static KNOWN_STEP uint64_t step(const uint64_t *table, uint64_t mask, uint64_t key)
{
    uint64_t sum = 0;

    for (int i = 0; i < KEYS; i++) {
        uint64_t place = (key + (uint64_t)i) * 0x9e3779b97f4a7c15u;

        place = table[(place ^ place >> 31) & mask];
        place = table[place & mask];
        /* A key's own work, which the next one waits for: as much as keeps one lookup from running ahead of another. */
        for (int bit = 0; bit < 40; bit++)
            sum = (sum ^ place) * 3 + (sum >> 7);
        sum += table[(place * 5 + (sum & 1)) & mask];
    }
    return sum;
}

static KNOWN_STEP uint64_t ahead_step(const uint64_t *table, uint64_t mask, uint64_t key)
{
    uint64_t sum = 0, places[GROUP];

    for (int i = 0; i < KEYS; i += GROUP) {
        for (int at = 0; at < GROUP; at++) {
            uint64_t place = (key + (uint64_t)(i + at)) * 0x9e3779b97f4a7c15u;

            places[at] = (place ^ place >> 31) & mask;
            __builtin_prefetch(&table[places[at]]);
        }
        for (int at = 0; at < GROUP; at++) {
            places[at] = table[places[at]] & mask;
            __builtin_prefetch(&table[places[at]]);
        }
        for (int at = 0; at < GROUP; at++) {
            places[at] = table[places[at]];
            __builtin_prefetch(&table[places[at] * 5 & mask]);
        }
        for (int at = 0; at < GROUP; at++) {
            uint64_t place = places[at];

            for (int bit = 0; bit < 40; bit++)
                sum = (sum ^ place) * 3 + (sum >> 7);
            sum += table[(place * 5 + (sum & 1)) & mask];
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool ahead = strcmp(known_word(&known, 1, "-"), "ahead") == 0;
    uint64_t mask = known_size(&known, 0, 256u << 20) / 8 - 1, key = 0;
    uint64_t *table = known_memory((mask + 1) * 8, KNOWN_HUGE_PAGES);

    for (uint64_t i = 0; i <= mask; i++)
        table[i] = (i * 0xd1342543de82ef95u) >> 17;
    while (known_goes_on(&known)) {
        KNOWN_KEEP(ahead ? ahead_step(table, mask, key) : step(table, mask, key));
        key += KEYS;
        known_add(&known, KEYS);
    }
    return known_end(&known);
}
