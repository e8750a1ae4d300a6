/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do metrics make of a report's counts, at each of its places?
 *
 * A metric whose events make one group is computed from that group alone, so that its ratio is of one time; one that
 * takes several, from all of them, as scaled. It is printed beside the first event of its group. What isn't known isn't
 * there. Its quality: "scaled" when one of its events was on a counter for part of the time only, "cross-group" when
 * such events are of several groups, whose times then differ.
 * Does not support: intervals of confidence (plumb topdown has them), sampled latencies (the tables' means stand for
 * them).
 */
#ifndef PLUMB_ANALYSE_COUNTS_COUNT_METRICS_H
#define PLUMB_ANALYSE_COUNTS_COUNT_METRICS_H

#include "analyse/counts/event_counts.h"
#include "metric/table/table.h"

#define COUNT_METRIC_ACROSS SIZE_MAX

struct count_metric_asked {
    uint32_t metric;  /* of the table */
    const char *name; /* as printed: "tma_memory_bound" */
    size_t group;     /* of the rows below, or COUNT_METRIC_ACROSS */
    size_t row;       /* beside which it is printed */
};

struct count_metrics {
    const struct metric_table *table;
    const struct measured *constants; /* of the machine; times are the report's own */
    const uint32_t *row_terms;        /* what each row counts, or TABLE_NONE; for cgroups the rows repeat */
    const size_t *row_groups;
    size_t row_count;
    const struct count_metric_asked *asked;
    size_t asked_count;
};

/* After count_report_finish: fill the lines' metrics. elapsed_seconds: of what the report is about. Owner: arena. */
void count_metrics_find(struct count_report *report, const struct count_metrics *metrics, double elapsed_seconds,
                        struct arena *arena);

#endif
