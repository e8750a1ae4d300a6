/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware and kernel counts over the run, by name; what could not be counted, and why. */
#ifndef PLUMB_ANALYSE_COUNTS_COUNTER_SUMMARY_H
#define PLUMB_ANALYSE_COUNTS_COUNTER_SUMMARY_H

#include "base/measured.h"

#include <stddef.h>

struct named_count {
    const char *name; /* "cycles" */
    struct measured count;
};

struct counter_summary {
    const struct named_count *items;
    size_t count;
};

/* The count of that name; not measured when it isn't there. */
struct measured counter_of(const struct counter_summary *summary, const char *name);

#endif
