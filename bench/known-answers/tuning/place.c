/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place SIZE [free]: finds random keys in a sorted table by halving, with a branch that goes either way; free: by
 * arithmetic. work = keys. */
#include "../known.h"

static KNOWN_STEP uint64_t step(const uint32_t *table, uint64_t count, uint64_t *seed, int keys)
{
    uint64_t found = 0;

    for (int i = 0; i < keys; i++) {
        uint32_t key = (uint32_t)(known_random(seed) >> 32);
        uint64_t low = 0, high = count;

        while (low < high) {
            uint64_t middle = (low + high) / 2;

            if (table[middle] < key) {
                low = middle + 1;
                KNOWN_HIDE(low); /* keeps the branch a branch */
            } else {
                high = middle;
            }
        }
        found += low;
    }
    return found;
}

static KNOWN_STEP uint64_t free_step(const uint32_t *table, uint64_t count, uint64_t *seed, int keys)
{
    uint64_t found = 0;

    for (int i = 0; i < keys; i++) {
        uint32_t key = (uint32_t)(known_random(seed) >> 32);
        uint64_t low = 0;

        for (uint64_t half = count / 2; half; half /= 2) {
            uint64_t smaller = table[low + half - 1] < key;

            KNOWN_HIDE(smaller); /* keeps it arithmetic */
            low += half & -smaller;
        }
        found += low;
    }
    return found;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t count = known_size(&known, 0, 8192) / 4, seed = 7;
    bool free_of_branches = strcmp(known_word(&known, 1, "-"), "free") == 0;
    uint32_t *table = known_memory(count * 4, KNOWN_HUGE_PAGES);
    int keys = count > 65536 ? 200 : 2000;

    for (uint64_t i = 0; i < count; i++)
        table[i] = (uint32_t)(((i + 1) << 32) / (count + 1));
    while (known_goes_on(&known)) {
        KNOWN_KEEP(free_of_branches ? free_step(table, count, &seed, keys) : step(table, count, &seed, keys));
        known_add(&known, (uint64_t)keys);
    }
    return known_end(&known);
}
