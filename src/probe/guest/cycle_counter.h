/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much time passed, finer and cheaper than a system call can tell? The processor's own counter, and what one count
 * of it lasts.
 */
#ifndef PLUMB_PROBE_GUEST_CYCLE_COUNTER_H
#define PLUMB_PROBE_GUEST_CYCLE_COUNTER_H

#include "base/clock.h"

#include <stdint.h>

static inline double wall_ns(void)
{
    return (double)clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t cycle_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return (uint64_t)wall_ns();
#endif
}

/* Nanoseconds a count, over some 2 ms. */
static inline double cycle_counter_ns(void)
{
    double start_ns = wall_ns(), now_ns = start_ns;
    uint64_t start = cycle_counter();
    while (now_ns - start_ns < 2e6)
        now_ns = wall_ns();
    uint64_t counts = cycle_counter() - start;
    return counts ? (now_ns - start_ns) / (double)counts : 0;
}

#endif
