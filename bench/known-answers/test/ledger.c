/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counter in the first line of each of many 4 KiB accounts is read in scattered order; the line differs from page to
 * page. Arguments: accounts, 1 for pages of 2 MiB. */
#include "driver.h"
#ifndef LARGE
#define LARGE 0
#endif

static char *base;
static uint64_t accounts, at, total;

APART static uint64_t run(uint64_t from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        from = *(const uint64_t *)(base + from);
    return from;
}

static uint64_t step(void) {
    at = run(at, 20000);
    total += at;
    return 20000;
}

static uint64_t place(uint64_t account) {
    return account * 4096 + (account + account / 64) % 64 * 64;
}

int main(int argc, char **argv) {
    accounts = argument(argc, argv, 2, 8192);
    base = memory_take(accounts * 4096, argument(argc, argv, 3, LARGE));
    uint32_t *order = malloc(accounts * sizeof *order);
    uint64_t seed = 7;
    for (uint64_t i = 0; i < accounts; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = accounts - 1; i > 0; i--) {
        uint64_t j = random_next(&seed) % (i + 1);
        uint32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (uint64_t i = 0; i < accounts; i++)
        *(uint64_t *)(base + place(order[i])) = place(order[(i + 1) % accounts]);
    at = place(order[0]);
    free(order);
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
