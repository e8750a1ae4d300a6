/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is the tree collected where plumb isn't? The perf stat command lines whose output `plumb topdown --from` reads.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_PERF_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_PERF_H

#include "command/command.h"
#include "metric/table/table.h"

struct topdown_perf {
    const char *smt, *tables; /* as --smt and --tables say, or NULL */
    unsigned level;           /* 0: two */
    bool all;                 /* metrics beside the tree, too */
    bool json;
    char *const *argv;        /* the command to measure, or that lasts as long; NULL: a word, or sleep, stands for it */
    const char *processes, *threads, *cpus; /* to be watched, or NULL */
    bool all_cpus;
    double seconds;           /* that sleep lasts; 0: ten */
};

/* Errors: none of the metrics can be had. */
MUST_CHECK bool topdown_perf_print(const struct topdown_perf *asked, const struct metric_table *table,
                                   struct context *context, struct error *err);

#endif
