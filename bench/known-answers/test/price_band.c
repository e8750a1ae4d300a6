/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the band a price falls in: binary search in a sorted table, with a branch or without.
 * Arguments: log2 of the table's entries, 1 when always the same few prices are asked, 1 for pages of 2 MiB. */
#include "driver.h"
#ifndef BRANCH
#define BRANCH 1
#endif
#ifndef LOG_ENTRIES
#define LOG_ENTRIES 12
#endif

static uint32_t *band;
static uint32_t asked[16384];
static uint64_t entries, total, seed = 67;
static bool regular;
static uint64_t levels;

APART static uint64_t run(const uint32_t *table, uint64_t count, const uint32_t *price, uint64_t prices) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < prices; i++) {
        const uint32_t *base = table;
        uint64_t length = count;
        while (length > 1) {
            uint64_t half = length / 2;
#if BRANCH
            if (base[half] <= price[i]) {
                base += half;
                __asm__ volatile("" : "+r"(base));
            }
#else
            base += (-(uint64_t)(base[half] <= price[i])) & half;
#endif
            length -= half;
        }
        sum += (uint64_t)(base - table);
    }
    return sum;
}

static uint64_t step(void) {
    uint64_t count = 4096;
    for (uint64_t i = 0; i < count; i++)
        asked[i] = regular ? (uint32_t)(i % 2) * 0x30000000u : (uint32_t)random_next(&seed) >> 1;
    total += run(band, entries, asked, count);
    return count * levels;
}

int main(int argc, char **argv) {
    levels = argument(argc, argv, 2, LOG_ENTRIES);
    entries = (uint64_t)1 << levels;
    regular = argument(argc, argv, 3, 0);
    band = memory_take(entries * sizeof *band, argument(argc, argv, 4, 0));
    for (uint64_t i = 0; i < entries; i++)
        band[i] = (uint32_t)(i * (((uint64_t)1 << 31) / entries));
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
