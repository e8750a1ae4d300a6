/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How does perf spell a metric, and which metrics does a word of perf's mean?
 *
 * On Intel's processors perf puts tma_ before the tree's names (tma_memory_bound, tma_info_thread_ipc). Groups are
 * TopdownL1 … by level, tma_L1_group likewise, tma_memory_bound_group of what is below a node, tma_issueBW of nodes
 * that see each other, PipelineL1 on AMD's, and those that published tables name. Words hold in any case.
 */
#ifndef PLUMB_METRIC_TABLE_METRIC_NAME_H
#define PLUMB_METRIC_TABLE_METRIC_NAME_H

#include "metric/table/table.h"

/* "tma_memory_bound". */
void metric_perf_name(const struct metric_table *table, const struct table_metric *metric, struct text *text);
/* Its other name, likewise; nothing where it has none. */
void metric_perf_also(const struct metric_table *table, const struct table_metric *metric, struct text *text);
/* "TopdownL2;tma_L2_group;tma_backend_bound_group", "" : in none. */
void metric_perf_groups(const struct metric_table *table, const struct table_metric *metric, struct text *text);
/*
 * Whether the word is the metric's name, in the table's or perf's spelling, another name of it, or a group that it is
 * in.
 */
bool metric_is_meant(const struct metric_table *table, const struct table_metric *metric, struct view word);

#endif
