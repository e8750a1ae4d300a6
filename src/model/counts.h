/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter readings with their enabled and running times; "not counted" and "not supported" are values, never 0. */
#ifndef PLUMB_MODEL_COUNTS_H
#define PLUMB_MODEL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

enum reading_status {
    READING_COUNTED,
    READING_NOT_COUNTED,   /* opened, but never ran */
    READING_NOT_SUPPORTED, /* could not be opened */
};

struct reading {
    enum reading_status status;
    int open_errno;   /* READING_NOT_SUPPORTED: why */
    uint64_t value;   /* raw */
    uint64_t enabled_ns, running_ns;
};

/* value * enabled / running, or the raw value when it ran all the time. Undefined unless READING_COUNTED. */
double reading_scaled(const struct reading *reading);
/* running / enabled, 0..1. */
double reading_running_ratio(const struct reading *reading);
/* Sum of two readings of the same event; counted wins over not counted over not supported. */
struct reading reading_add(struct reading a, struct reading b);

#endif
