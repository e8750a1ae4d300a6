/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows that data/generate_metrics.py makes of data/metrics/: texts are offsets into one array, CPUs a mask over
 * builtin_cpus.
 */
#ifndef PLUMB_METRIC_TABLE_TABLE_BUILTIN_ROWS_H
#define PLUMB_METRIC_TABLE_TABLE_BUILTIN_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct builtin_metric {
    uint32_t cpus;
    uint32_t level;
    uint32_t name, about, parent, unit, domain, value, threshold, locate, see_also, groups, also;
};

enum { BUILTIN_INVERT = 1, BUILTIN_EDGE = 2, BUILTIN_ANY_THREAD = 4, BUILTIN_ALONE = 8 };

struct builtin_event {
    uint32_t cpus;
    uint32_t name, about, pmu, errata;
    uint64_t event, umask, cmask, offcore, frontend, latency;
    uint32_t counters, period;
    uint8_t precise, flags;
    int8_t fixed;
    float latency_default;
};

extern const char builtin_text[];
extern const char *const builtin_cpus[];
extern const size_t builtin_cpu_count;
extern const struct builtin_metric builtin_metrics[];
extern const size_t builtin_metric_count;
extern const struct builtin_event builtin_events[];
extern const size_t builtin_event_count;

#endif
