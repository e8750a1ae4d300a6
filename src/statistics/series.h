/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Did the measurements change while they were made: a trend, or neighbours that resemble each other?
 *
 * Sources: Mann 1945 and Kendall (trend by the signs of all differences), Theil 1950 and Sen 1968 (its slope).
 */
#ifndef PLUMB_STATISTICS_SERIES_H
#define PLUMB_STATISTICS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

struct trend {
    bool known;           /* false with fewer than 6 values */
    double p;             /* two-sided, of "no trend" */
    double change;        /* from the first to the last value, along the median slope */
};

/* O(count^2); above 1500 values the series is thinned evenly. */
struct trend trend_of(const double *values, size_t count);

struct resemblance {
    bool known;         /* false with fewer than 8 values, or when all are equal */
    double correlation; /* of each value with the one before it, by ranks: -1..1 */
    bool beyond_chance; /* outside what 95 % of independent series of this length show */
};

struct resemblance resemblance_of(const double *values, size_t count);

#endif
