/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which nodes of the top-down tree speak of which hypothesis? The same for what was counted here and for what others
 * printed.
 */
#ifndef PLUMB_FINDING_TOPDOWN_ROWS_H
#define PLUMB_FINDING_TOPDOWN_ROWS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { TOPDOWN_ROW_METRICS = 5, TOPDOWN_ROW_OTHERS = 2 };

/*
 * Several metrics are added up: a cause may be in each of them (false sharing is in three), or cost in another class as
 * well.
 */
struct topdown_row {
    const char *id;
    const char *metrics[TOPDOWN_ROW_METRICS];
    const char *parent; /* siblings counted in cycles may exceed the parent's slots: never more than it; NULL: none */
    bool is_cause;      /* the metric is that cause, not a class that holds it */
    bool is_part;       /* … and a part of it: enough to support it, too little to rule it out */
    const char *others[TOPDOWN_ROW_OTHERS]; /* parts that are something else: taken off where known */
    /* the other of the two parts of its first metric, in the same unit: taken off where both are of one table */
    const char *sibling;
    bool mixes_units; /* shares of slots and of cycles: no sum of them is a share, but it is a bound */
};

/* The first row of that hypothesis (after NULL), or the next; NULL: no more. The nearest to the cause stands first. */
const struct topdown_row *topdown_row_of(const char *id, const struct topdown_row *after);
/* Any row's, by number; NULL: no more. */
const struct topdown_row *topdown_row_at(size_t index);
/* "tma_a with tma_b" */
const char *topdown_row_names(const struct topdown_row *row, struct arena *arena);
/* Of a part the rest of the cause, "tma_b"; NULL: there is none. */
const char *topdown_row_missing(const struct topdown_row *row, struct arena *arena);

#endif
