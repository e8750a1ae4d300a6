/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which PMUs does the kernel list in sysfs, and what do they offer: formats, events, capabilities, cpumask?
 *
 * Does not support: turning an event's name into an encoding (metric/event.h does).
 */
#ifndef PLUMB_SYSTEM_PMU_PMU_LIST_H
#define PLUMB_SYSTEM_PMU_PMU_LIST_H

#include "base/arena.h"
#include "system/fact.h"

struct pmu_entry {
    const char *name;  /* file name in format/, events/ or caps/ */
    const char *value; /* its first line */
};

struct pmu_entries {
    struct pmu_entry *items; /* sorted by name */
    size_t count;
};

struct pmu {
    const char *name;
    struct fact_number type;                 /* perf_event_attr.type */
    struct pmu_entries formats, events, caps; /* events without their .unit, .scale, .per-pkg files */
    struct fact_word cpumask;                /* CPUs to open its events on; unknown: any */
    struct fact_word cpus;                   /* hybrid and Arm: CPUs it exists on */
    struct fact_number mux_interval_ms;
};

struct pmu_list {
    struct pmu *items; /* sorted by name */
    size_t count;
    struct fact_word folder; /* known when /sys/bus/event_source/devices could be listed */
};

/* Owner: arena. */
void pmu_list_read(struct pmu_list *list, const struct sysroot *root, struct arena *arena);

const struct pmu *pmu_find(const struct pmu_list *list, const char *name); /* NULL: not listed */
/* The first PMU whose name starts with prefix, or NULL. */
const struct pmu *pmu_find_prefix(const struct pmu_list *list, const char *prefix);
/* Whether a PMU of this name counts in the cores: cpu, cpu_core, cpu_atom, armv8_*, armv9_*, apple_*. */
bool pmu_name_is_core(const char *name);
/* The core PMU: cpu, cpu_core, or the first of Arm's, or NULL: the kernel drives no core PMU. */
const struct pmu *pmu_find_core(const struct pmu_list *list);
/* The same without reading the PMUs: whether the kernel drives a core PMU at all. */
bool pmu_core_exists(const struct sysroot *root);
const char *pmu_entry_find(const struct pmu_entries *entries, const char *name); /* value, or NULL */

/*
 * Whether fixed counter 3 (slots, config 0x0400) and the topdown events behind it may be opened at all: only
 * when sysfs lists both `slots` and `topdown-retiring`. Elsewhere the attempt has crashed guest kernels
 * (a vPMU that advertises four fixed counters without PERF_METRICS).
 */
bool pmu_has_topdown(const struct pmu *core_or_null);

/*
 * The `config` that an event's sysfs value ("event=0x04,umask=0x03") means under the PMU's formats; false when a
 * term lies outside `config` or has no format. Does not support: config1 and config2.
 */
MUST_CHECK bool pmu_event_encode(const struct pmu *pmu, const char *value, uint64_t *ret_config);

#endif
