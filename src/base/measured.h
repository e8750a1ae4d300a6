/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A number that was measured, or the reason why it wasn't: "not measured, because X" is a value everywhere,
 * never 0, NaN or a guess.
 */
#ifndef PLUMB_BASE_MEASURED_H
#define PLUMB_BASE_MEASURED_H

#include <stdbool.h>

struct measured {
    bool known;
    double value;        /* undefined unless known */
    const char *why_not; /* "schedstat is not readable"; NULL when known */
};

static inline struct measured measured_as(double value)
{
    return (struct measured){.known = true, .value = value};
}

static inline struct measured not_measured(const char *why)
{
    return (struct measured){.why_not = why};
}

/* a / b; not measured when either isn't, or b is 0. */
static inline struct measured measured_ratio(struct measured a, struct measured b)
{
    if (!a.known)
        return a;
    if (!b.known)
        return b;
    return b.value > 0 ? measured_as(a.value / b.value) : not_measured("there was nothing to divide by");
}

#endif
