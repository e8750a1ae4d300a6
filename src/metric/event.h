/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to count or sample: an event's name as the user wrote it, turned into what the kernel wants.
 *
 * Understood: software, hardware and cache names, rNNN, pmu/term=value,…/, sysfs event names, tracepoints
 * (system:name, with globs), mem:ADDR[/LEN][:rwx] breakpoints, uprobe:PATH:SYMBOL and PMU uprobe, msr/tsc/,
 * vendors' names (metric/table), modifiers, groups {…}, weak groups {…}:W. Names this machine lacks are named with
 * their nearest neighbours. Does not support: metrics (metric/…).
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
    uint64_t period, frequency;  /* the terms period= and freq= asked for sampling; 0: not said */
    bool precise_max;            /* :P: the most precise_ip that opens, attr.precise_ip being the first to try */
    bool one_of_several;         /* a PMU prefix named several PMUs: their counts are summed under this name */
    const char *probe_path;      /* uprobe by symbol: still to be resolved, see event_list_resolve_probes */
    const char *probe_symbol;
    uint64_t probe_addend;
    bool weak_group;             /* :W: the group may be broken up when it doesn't fit */
    bool cpus_are_core;          /* cpus: a hybrid core type (any may do), not an uncore PMU to open on just those */
    bool per_package;            /* count once a package (sysfs .per-pkg) */
    bool sample_read;            /* :S */
    int table_row;               /* index in the fixed table of software/hardware/cache names, or -1 */
};

struct event_list {
    struct event_spec *items;
    size_t count, capacity;
    int group_count;
    const char *tables; /* a folder of published tables to take names from; NULL: PLUMB_TABLES, or plumb's own */
};

/*
 * Append the events that text names ("cycles,{a,b}:u,sched:sched_switch").
 * Errors: ERROR_USAGE with the word and where in text it stands, or, for an event that isn't here, the nearest names;
 * ERROR_PERMISSION when tracefs can't be read. Owner of the strings: arena.
 */
MUST_CHECK bool event_list_parse(struct event_list *list, const char *text, const struct sysroot *root,
                                 struct arena *arena, struct error *err);
void event_list_done(struct event_list *list);

/*
 * uprobe:PATH:SYMBOL needs the symbol's place in the file, which only symbol/ can tell: a command hands its
 * function in. Events that need none are left alone.
 */
typedef bool event_symbol_offset(void *context, const char *path, const char *symbol, uint64_t *ret_file_offset,
                                 struct error *err);
MUST_CHECK bool event_list_resolve_probes(struct event_list *list, event_symbol_offset *offset, void *context,
                                          struct error *err);

/*
 * Whether opening this event is safe here. Intel's fixed counter 3 (config 0x0400, 0x80xx) is opened only where
 * sysfs lists slots and topdown-retiring: some clouds advertise the counter without its metrics register, and
 * opening it there crashes the guest's kernel.
 */
MUST_CHECK bool event_is_safe(const struct event_spec *event, const struct sysroot *root, struct error *err);

/*
 * Whether new threads and children can be given the event (attr.inherit). A uprobe or kprobe can't: at their birth the
 * kernel reads its path again, in the memory of the program that is measured, and on failing refuses the birth itself.
 * Groups with one can't either.
 */
bool event_is_handed_on(const struct event_list *list, size_t index);

/* Whether the event is a uprobe or kprobe: the kernel asks more of its user than kernel.perf_event_paranoid says. */
bool event_is_probe(const struct event_spec *event);

/* How much of what an event counts happens in the kernel, and is lost where only user code may be counted (:u). */
enum event_kernel_part {
    EVENT_KERNEL_SOME,
    EVENT_KERNEL_ALL,  /* switches, migrations, most tracepoints: they would be 0 */
    /* cpu-clock and task-clock count on in the kernel; a system call's tracepoints count as its caller's */
    EVENT_KERNEL_KEPT,
};

/*
 * Source: measured on Linux 6.18; kernel/events/core.c (cpu_clock_event_read asks for no mode, perf_exclude_event
 * does).
 */
enum event_kernel_part event_kernel_part(const struct event_spec *event);

/* The valid names nearest to word, as "a, b, c" ("" when none is near). */
void event_nearest(const char *word, const struct sysroot *root, char *names, size_t size);

#endif
