/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plumb's own tables: the files of data/metrics/, built in.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_BUILTIN_H
#define PLUMB_METRIC_TABLE_TABLE_BUILTIN_H

#include "metric/table/table.h"

/* How much of a table is wanted. */
enum table_extent {
    TABLE_EVENTS_ONLY, /* events, and metrics without their formulas: enough to list and to name */
    TABLE_WHOLE
};

/* False when there is no table of our own for this CPU (a key of data/microarchitectures.tsv). Owner: the caller. */
MUST_CHECK bool metric_table_builtin(struct metric_table *table, const char *key, enum table_extent extent);

/* The keys of the CPUs that have one, in the order of the data; NULL after the last. Owner: static. */
const char *metric_table_builtin_cpu(size_t index);

#endif
