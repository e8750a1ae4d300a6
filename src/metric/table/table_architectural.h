/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be computed where only the kernel's own event names can be counted: a guest's architectural events, an
 * unknown processor?
 *
 * Rates and the mean clock; no share of the pipeline's slots. Does not support: a tree.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_ARCHITECTURAL_H
#define PLUMB_METRIC_TABLE_TABLE_ARCHITECTURAL_H

#include "metric/table/table.h"

/* Owner: the caller (metric_table_done). */
void metric_table_architectural(struct metric_table *table);

#endif
