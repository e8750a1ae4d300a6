/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hardware and kernel counts over the run, by name; what could not be counted, and why.
 *
 * A part of a case (counters.json), measured by plumb or imported from perf stat's text; origin tells which.
 */
#ifndef PLUMB_ANALYSE_COUNTS_COUNTER_SUMMARY_H
#define PLUMB_ANALYSE_COUNTS_COUNTER_SUMMARY_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/measured.h"
#include "base/text.h"

#include <stddef.h>

struct named_count {
    const char *name;      /* "cycles", without modifiers */
    struct measured count; /* scaled to the whole run where it was counted in a part of it */
    double running_ratio;  /* share of the run in which it was counted; 1: exact, 0: not said */
    bool hardware;         /* needs a PMU */
    bool user_only;        /* the kernel's part is missing */
};

struct counter_summary {
    const struct named_count *items;
    size_t count;
    const char *origin; /* "measured by plumb 0.1.0", "imported, not measured by plumb: perf stat" */
    bool imported;
};

/* The count of that name; not measured when it isn't there. summary: may be NULL. */
struct measured counter_of(const struct counter_summary *summary, const char *name);
/* Whether some event of a PMU was counted. summary: may be NULL. */
bool counter_summary_has_hardware(const struct counter_summary *summary);

void counter_summary_write(const struct counter_summary *summary, struct text *out);
/* Errors: ERROR_FORMAT. Owner of strings and items: arena. */
MUST_CHECK bool counter_summary_read(struct counter_summary *summary, struct json_value root, struct arena *arena,
                                     struct error *err);

#endif
