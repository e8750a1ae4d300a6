/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running balance of an account: prefix sums of doubles, in one go or in eight parts side by side. */
#include "driver.h"
#ifndef FREE
#define FREE 0
#endif
#ifndef PARTS
#define PARTS 1
#endif

enum { LENGTH = 1536 };
static double amount[LENGTH], after[LENGTH];

APART static void run(void) {
    double sum[PARTS] = {0};
    for (int i = 0; i < LENGTH / PARTS; i++)
        for (int p = 0; p < PARTS; p++) {
            #if FREE
            sum[p] = 1.5 + amount[p * (LENGTH / PARTS) + i];
#else
            sum[p] += amount[p * (LENGTH / PARTS) + i];
#endif
            after[p * (LENGTH / PARTS) + i] = sum[p];
        }
#if PARTS > 1
    double before = 0;
    for (int p = 0; p < PARTS; p++) {
        for (int i = 0; i < LENGTH / PARTS; i++)
            after[p * (LENGTH / PARTS) + i] += before;
        before = after[(p + 1) * (LENGTH / PARTS) - 1];
    }
#endif
}

static uint64_t step(void) {
    for (int i = 0; i < 200; i++) {
        run();
        amount[i] = after[i];
    }
    return 200 * LENGTH;
}

int main(int argc, char **argv) {
    for (int i = 0; i < LENGTH; i++)
        amount[i] = (double)(i * argc) * 1e-20;
    return drive(argc, argv, step);
}
