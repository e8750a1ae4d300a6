/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways in which plumb topdown works, one file each, and the options that all of them are given. */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_MODES_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_MODES_H

#include "command/command.h"

#include <stdint.h>

struct topdown_options {
    const char *from, *cpu, *tables, *smt, *separator;
    double tsc_hz, seconds;
    const char *nodes, *processes, *threads, *cpus, *output;
    double duration;
    uint64_t level, interval_ms;
    bool json, all, print_perf, drill, once, all_cpus, per_core;
};

/* Counts that were recorded: topdown_from.c. */
bool topdown_from(struct context *context, const struct topdown_options *options, struct error *err);
/* Counted here; argv ends with NULL, and is empty when something is watched: topdown_live.c. */
bool topdown_live(struct context *context, const struct topdown_options *options, char *const *argv, struct error *err);

#endif
