/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/clock.h"

#include "base/clock.h"

#include <stdint.h>

enum {
    SLICES = 5,
    SLICE_ROUNDS = 2500, /* of CHAIN additions: about 55 us at 3 GHz */
    CHAIN = 64
};

#define TIMES_4(line) line line line line
#define TIMES_64(line) TIMES_4(TIMES_4(TIMES_4(line)))

/*
 * A register operand, not a constant: some cores add small constants while renaming, in no time at all.
 * Source: Intel's optimisation manual, "Golden Cove: zero-latency add of immediates".
 */
#if defined(__x86_64__)
#define CHAIN_STEP "add %1, %0\n\t"
#elif defined(__aarch64__)
#define CHAIN_STEP "add %0, %0, %1\n\t"
#endif

#ifdef CHAIN_STEP
static double slice_hertz(void)
{
    uint64_t sum = 1, step = 3;
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    for (int round = 0; round < SLICE_ROUNDS; round++)
        __asm__ volatile(TIMES_64(CHAIN_STEP) : "+r"(sum) : "r"(step));
    double seconds = (double)(clock_ns(CLOCK_MONOTONIC_RAW) - start_ns) * 1e-9;
    return seconds > 0 ? (double)SLICE_ROUNDS * CHAIN / seconds : 0;
}
#endif

struct measured clock_measure(void)
{
#ifdef CHAIN_STEP
    double most = 0;
    for (int slice = 0; slice < SLICES; slice++) {
        double hertz = slice_hertz();
        most = hertz > most ? hertz : most;
    }
    return most > 0 ? measured_as(most) : not_measured("the clock source did not advance");
#else
    return not_measured("no chain of one-cycle additions is known for this architecture");
#endif
}
