/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Month's end: adds postings from scattered places, then spreads the sums over accounts by remainders.
 * Arguments: postings, 1 for a spread by mask instead of by remainder (both for the proof only). */
#include "driver.h"

enum { SPREAD = 4096 };
static uint64_t *posting;
static uint64_t postings, first, accounts, total;
static uint32_t account[2048];
static uint64_t sum[SPREAD];
static bool easy;

APART static void part_1(const uint64_t *p) {
    for (int i = 0; i < SPREAD; i++)
        sum[i] += p[((first + (uint64_t)i) * 0x9e3779b97f4a7c15u >> 24) & (postings - 1)];
}

/* Some postings are settled by hand. */
APART static void part_2(void) {
    if (easy)
        for (int i = 0; i < SPREAD - SPREAD / 6; i++)
            account[(sum[i] >> 7) & 1023]++;
    else
        for (int i = 0; i < SPREAD - SPREAD / 6; i++)
            account[(sum[i] | (uint64_t)1 << 60) % accounts]++;
}

static uint64_t step(void) {
    for (int i = 0; i < 4; i++) {
        part_1(posting);
        part_2();
        first += SPREAD;
    }
    return 4;
}

int main(int argc, char **argv) {
    postings = argument(argc, argv, 2, 1 << 20);
    easy = argument(argc, argv, 3, 0);
    accounts = 1020 + (uint64_t)(argc > 0);
    posting = memory_take(postings * sizeof *posting, false);
    for (uint64_t i = 0; i < postings; i += 64)
        posting[i] = i;
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
