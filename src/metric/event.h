/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to count or sample: an event's name as the user wrote it, turned into what the kernel wants.
 *
 * Understood: software, hardware and cache names, rNNN, pmu/term=value,…/, sysfs event names, tracepoints
 * (system:name, with globs), mem:ADDR[/LEN][:rwx] breakpoints, uprobe:PATH:SYMBOL and PMU uprobe, msr/tsc/,
 * modifiers, groups {…}, weak groups {…}:W. Names this machine lacks are named with their nearest neighbours.
 * Does not support: metrics (metric/…).
 */
#ifndef PLUMB_METRIC_EVENT_H
#define PLUMB_METRIC_EVENT_H

#include "base/arena.h"
#include "base/error.h"
#include "system/sysroot.h"

#include <linux/perf_event.h>

#define EVENT_NO_GROUP (-1)

struct event_spec {
    const char *name;            /* as printed, modifiers included ("cycles:u") */
    struct perf_event_attr attr; /* type, config*, exclude_*, precise_ip, pinned, bp_*; no sampling fields */
    const char *pmu;             /* sysfs name of its PMU, or NULL */
    const char *unit;            /* of the scaled count ("Joules", "msec"), or NULL */
    double scale;                /* count * scale is in unit; 1 when none */
    const int *cpus;             /* CPUs the PMU's cpumask asks to be opened on, or NULL: any */
    size_t cpu_count;
    int group;                   /* index of its group, or EVENT_NO_GROUP */
    bool weak_group;             /* :W: the group may be broken up when it doesn't fit */
    bool per_package;            /* count once a package (sysfs .per-pkg) */
    bool sample_read;            /* :S */
    bool is_default;             /* from the default list: hidden when not supported is said once */
    int table_row;               /* index in the fixed table of software/hardware/cache names, or -1 */
};

struct event_list {
    struct event_spec *items;
    size_t count, capacity;
    int group_count;
};

/*
 * Append the events that text names ("cycles,{a,b}:u,sched:sched_switch").
 * Errors: ERROR_USAGE with the word and where in text it stands, ERROR_NOT_FOUND with the nearest names,
 * ERROR_PERMISSION when tracefs can't be read. Owner of the strings: arena.
 */
MUST_CHECK bool event_list_parse(struct event_list *list, const char *text, const struct sysroot *root,
                                 struct arena *arena, struct error *err);
void event_list_done(struct event_list *list);

#endif
