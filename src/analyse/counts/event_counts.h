/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often did each event happen: in all, per CPU, core, die, socket, node or thread; over one run or several;
 * and what ratio does it make with the others (instructions per cycle, share of all branches)?
 *
 * Several runs give a mean and the standard error of that mean. A sum with a part that was never counted isn't
 * a sum: it is "not counted". Result structs are plain; strings belong to the table's owner or to the report.
 */
#ifndef PLUMB_ANALYSE_COUNTS_EVENT_COUNTS_H
#define PLUMB_ANALYSE_COUNTS_EVENT_COUNTS_H

#include "base/arena.h"
#include "model/count_table.h"
#include "system/cpu/topology.h"

enum count_grouping {
    COUNT_GLOBAL,
    COUNT_PER_CPU,
    COUNT_PER_CORE,
    COUNT_PER_DIE,
    COUNT_PER_SOCKET,
    COUNT_PER_NODE,
    COUNT_PER_THREAD,
};

enum count_ratio_kind {
    RATIO_NONE,
    RATIO_CPUS_UTILIZED,  /* CPU time over elapsed time */
    RATIO_PER_SECOND,     /* of CPU time */
    RATIO_GIGAHERTZ,      /* cycles over CPU time */
    RATIO_PER_CYCLE,      /* instructions */
    RATIO_STALLED_PER_INSTRUCTION,
    RATIO_SHARE,          /* of what share_of says, 0..1 */
};

struct count_ratio {
    enum count_ratio_kind kind;
    double value;
    const char *share_of; /* RATIO_SHARE: "of all branches" */
};

enum count_status {
    COUNT_COUNTED,
    COUNT_NOT_COUNTED,
    COUNT_NOT_SUPPORTED,
};

/* A metric that is printed beside a count (count_metrics.h). */
struct count_metric {
    const char *name, *unit; /* "tma_retiring", "%" or "" */
    double value;            /* in its unit */
    const char *quality;     /* "" all of its events were counted all the time; "scaled", "cross-group" */
};

/* One event at one place. */
struct count_line {
    size_t row;          /* of the table */
    const char *event, *unit, *cgroup;
    bool fractional;     /* its scale isn't a whole number: decimals matter */
    enum count_status status;
    double value;        /* mean of the runs, scaled to its unit; undefined unless COUNT_COUNTED */
    double noise_ratio;  /* standard error of the mean over the mean; 0 with fewer than two runs */
    double enabled_ns, running_ns; /* means */
    struct count_ratio ratios[2];
    const struct count_metric *metrics; /* instead of ratios where there are any */
    size_t metric_count;
    int socket, die, core, node, cpu, thread; /* the place, as far as the grouping tells; else -1 */
    size_t parts;        /* CPUs or threads summed */
};

struct count_report {
    enum count_grouping grouping;
    struct count_line *lines; /* in the order of printing */
    size_t line_count, line_capacity;
    const struct count_thread *threads;
    size_t run_count;
    double elapsed_ns;    /* mean */
    double elapsed_error_ns; /* standard error of that mean */
    bool has_cgroups, largest_first;
    struct count_sum *sums; /* running sums per line */
    double elapsed_squares;
};

struct count_options {
    enum count_grouping grouping;
    const struct topology *topology; /* needed by core, die, socket and node */
    bool raw_counts;                 /* don't scale what was multiplexed */
    bool largest_first;              /* order the places of an event by their counts */
};

/* Add one run (or one interval) to a report that started zeroed. Every run must have the same rows. */
void count_report_add(struct count_report *report, const struct count_table *table,
                      const struct count_options *options);
/* Compute means, noise and ratios, and order the lines. */
void count_report_finish(struct count_report *report, const struct count_table *table);
void count_report_done(struct count_report *report);

#endif
