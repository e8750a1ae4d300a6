/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does a clock of the kernel's say, in nanoseconds or seconds? */
#ifndef PLUMB_BASE_CLOCK_H
#define PLUMB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* 0 where there is no such clock: that of a thread that has ended. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double clock_s(clockid_t clock)
{
    return (double)clock_ns(clock) * 1e-9;
}

#endif
