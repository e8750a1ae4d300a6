/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The probe side of a hash join: independent look-ups in an open-addressing table, sum of the payloads found.
 * Arguments: log2 of the table's slots of 16 bytes. */
#include "driver.h"
#ifndef AHEAD
#define AHEAD 0
#endif

struct slot { uint64_t key, payload; };
static struct slot *table;
static uint64_t mask, keys, seed = 1, total;
static uint32_t batch[8192];

/* Odd, so that the keys below the table's size fall one to a slot. */
#define FACTOR 0x9e3779b97f4a7c15u

static inline uint64_t key_hash(uint64_t key) {
    return key * FACTOR;
}

APART static uint64_t run(const uint32_t *wanted, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
#if AHEAD
        __builtin_prefetch(&table[key_hash(wanted[i + AHEAD < count ? i + AHEAD : i]) & mask]);
#endif
        uint64_t at = key_hash(wanted[i]) & mask;
        while (table[at].key != wanted[i])
            at = (at + 1) & mask;
        sum += table[at].payload;
    }
    return sum;
}

static uint64_t step(void) {
    size_t count = sizeof batch / sizeof *batch;
    for (size_t i = 0; i < count; i++)
        batch[i] = (uint32_t)(random_next(&seed) & (keys - 1));
    for (int again = 0; again < 2; again++)
        total += run(batch, count);
    return 2 * count;
}

int main(int argc, char **argv) {
    uint64_t slots = (uint64_t)1 << argument(argc, argv, 2, 23);
    mask = slots - 1;
    keys = slots;
    table = memory_take(slots * sizeof *table, false);
    uint64_t inverse = FACTOR;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - FACTOR * inverse;
    for (uint64_t at = 0; at < slots; at++)
        table[at] = (struct slot){(at * inverse) & mask, at ^ 5};
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
