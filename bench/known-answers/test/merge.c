/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges sorted runs of 4096 random integers, the inner loop of merge sort; with a branch, or without one. */
#include "driver.h"
#ifndef BRANCH
#define BRANCH 1
#endif

enum { RUN = 4096 };
static uint32_t left[RUN + 1], right[RUN + 1], out[2 * RUN];

static int order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

APART static void run(const uint32_t *a, const uint32_t *b, uint32_t *to) {
    for (int i = 0; i < 2 * RUN; i++) {
#if BRANCH
        if (*a <= *b) {
            to[i] = *a++;
            __asm__ volatile("" : : : "memory");
        } else {
            to[i] = *b++;
            __asm__ volatile("# other" : : : "memory");
        }
#else
        uint32_t x = *a, y = *b;
        uint64_t first = x <= y;
        to[i] = y ^ ((x ^ y) & -(uint32_t)first);
        a += first;
        b += 1 - first;
#endif
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 10; i++)
        run(left, right, out);
    return 10 * 2 * RUN;
}

int main(int argc, char **argv) {
    uint64_t seed = 43;
    bool regular = argument(argc, argv, 2, 0);
    for (int i = 0; i < RUN; i++) {
        left[i] = regular ? (uint32_t)i * 2 : (uint32_t)random_next(&seed) >> 1;
        right[i] = regular ? (uint32_t)i * 2 + 1 : (uint32_t)random_next(&seed) >> 1;
    }
    qsort(left, RUN, sizeof *left, order);
    qsort(right, RUN, sizeof *right, order);
    left[RUN] = right[RUN] = ~0u;
    return drive(argc, argv, step);
}
