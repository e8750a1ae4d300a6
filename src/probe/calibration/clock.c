/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/clock.h"

#include "base/clock.h"

#include <stdint.h>

enum {
    SLICES = 5,          /* that were left alone */
    SLICES_MOST = 50,    /* as many are tried where others take the CPU by the microsecond */
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
/* ret_alone: this thread had the CPU for all of it. */
static double slice_hertz(bool *ret_alone)
{
    static const double ALONE_LEAST = 0.98; /* of the slice */
    uint64_t sum = 1, step = 3;
    uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), start_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    for (int round = 0; round < SLICE_ROUNDS; round++)
        __asm__ volatile(TIMES_64(CHAIN_STEP) : "+r"(sum) : "r"(step));
    double elapsed_ns = (double)(clock_ns(CLOCK_MONOTONIC_RAW) - start_ns);
    *ret_alone = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns) >= ALONE_LEAST * elapsed_ns;
    return elapsed_ns > 0 ? (double)SLICE_ROUNDS * CHAIN / elapsed_ns * 1e9 : 0;
}
#endif

struct measured clock_measure(void)
{
#ifdef CHAIN_STEP
    double most = 0;
    for (int slice = 0, alone = 0; slice < SLICES_MOST && alone < SLICES; slice++) {
        bool is_alone;
        double hertz = slice_hertz(&is_alone);
        alone += is_alone;
        most = is_alone && hertz > most ? hertz : most;
    }
    return most > 0 ? measured_as(most) : not_measured("others took the CPU again and again while it was measured");
#else
    return not_measured("no chain of one-cycle additions is known for this architecture");
#endif
}
