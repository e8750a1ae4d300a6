/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the first levels of the tree look like where PERF_METRICS can't be read?
 *
 * On Sapphire Rapids and its followers the same slots are counted on general counters too. The formulas of the first
 * two levels, and slots itself, are replaced by those; all that refers to them follows.
 * Source: intel/PerfSpect's form of the tree without PERF_METRICS.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_GENERAL_H
#define PLUMB_METRIC_TABLE_TABLE_GENERAL_H

#include "metric/table/table.h"

/*
 * Before anything else uses the table's terms. Errors: ERROR_NOT_FOUND, these tables lack one of the events; the table
 * is then spoilt.
 */
MUST_CHECK bool metric_table_use_general(struct metric_table *table, struct error *err);

#endif
