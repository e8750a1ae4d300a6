/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals cards: swaps each record with one at a random place (Fisher and Yates). Arguments: log2 of the records. */
#include "driver.h"

static uint64_t *card;
static uint64_t count, at, seed = 9;

APART static void run(uint64_t swaps) {
    uint64_t i = at;
    for (uint64_t n = 0; n < swaps; n++) {
        uint64_t j = (uint64_t)(((unsigned __int128)random_next(&seed) * count) >> 64);
        uint64_t held = card[i];
        card[i] = card[j];
        card[j] = held;
        i = (i + 1) & (count - 1);
    }
    at = i;
}

static uint64_t step(void) {
    run(10000);
    return 10000;
}

int main(int argc, char **argv) {
    count = (uint64_t)1 << argument(argc, argv, 2, 24);
    card = memory_take(count * sizeof *card, false);
    return drive(argc, argv, step);
}
