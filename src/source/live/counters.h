/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live counting: events opened on a target, enabled, read and closed.
 *
 * An event that can't be opened is kept, with the reason: its place in the output stays. What was changed to
 * make it open (kernel excluded, group broken up, the whole machine counted) is told in its struct, so that the
 * user can be told. Values are cumulative since the open or the last reset.
 * Does not support: sampling (no ring buffers), rdpmc.
 */
#ifndef PLUMB_SOURCE_LIVE_COUNTERS_H
#define PLUMB_SOURCE_LIVE_COUNTERS_H

#include "metric/event.h"
#include "source/live/target.h"
#include "system/kernel.h"

struct counter_value {
    uint64_t value, enabled_ns, running_ns;
    bool valid; /* false: this cell isn't open, or could not be read */
};

enum counter_refusal {
    REFUSAL_NONE,
    REFUSAL_UNSUPPORTED, /* this machine, kernel or PMU has no such event: ENOENT, EOPNOTSUPP, EINVAL, ENODEV, … */
    REFUSAL_PERMISSION,  /* EACCES, EPERM */
    REFUSAL_BUSY,        /* another user holds the counters or breakpoints: EBUSY, ENOSPC */
    REFUSAL_NO_SYSCALL,  /* perf_event_open itself is refused: ENOSYS, or EPERM by a seccomp filter */
};

struct counter {
    const struct event_spec *spec;
    const char *name;          /* spec->name, with what had to be excluded: "cycles:u" */
    struct perf_event_attr attr; /* as it was opened */
    enum counter_refusal refusal;
    int open_errno;
    pid_t refused_thread;      /* whose counting was refused; 0: not one thread's */
    bool user_only;            /* the kernel was excluded because counting it isn't permitted */
    bool machine_wide;         /* its PMU can't count one task: it counts these CPUs, whoever runs */
    bool stays;                /* children and new threads aren't counted although that was asked: event_is_handed_on */
    bool group_broken;         /* opened alone although a group was asked for */
    size_t leader;             /* index of its group's leader; its own when alone */
    const char *cgroup;        /* name of the cgroup it is limited to, or NULL */
    const int *cpus;           /* -1: any CPU */
    size_t cpu_count, thread_count;
    int *fds;                  /* [cpu * thread_count + thread]; -1: not open */
    struct counter_value *values; /* likewise */
};

struct counters {
    const struct kernel *kernel;
    struct counter *items;
    size_t count;
    bool enabled_by_exec; /* at least one waits for the target's exec */
};

/* Limits an event to a cgroup; target then is CPUs. */
struct counter_cgroup {
    const char *name; /* NULL: no limit */
    int fd;
};

struct counter_request {
    const struct event_list *events;
    const struct target *target;
    const struct counter_cgroup *cgroups; /* one per event, or NULL */
    bool inherit;        /* children of the target too */
    bool enable_on_exec; /* start with the workload's exec; else counters_enable starts them */
    bool starts_later;   /* not right after the open: nothing may start by itself before */
};

/*
 * Open every event. Events that are refused don't make it fail. Their order is the request's.
 * Errors: ERROR_LIMIT (file descriptors; the soft limit was raised already), ERROR_NOT_FOUND (the target is gone).
 * Owner of the strings and arrays: arena.
 */
MUST_CHECK bool counters_open(struct counters *counters, const struct counter_request *request,
                              const struct kernel *kernel, const struct sysroot *root, struct arena *arena,
                              struct error *err);
/* Start or stop all leaders, in one pass. */
void counters_enable(struct counters *counters);
void counters_disable(struct counters *counters);
/* Start or stop one by itself; a group's leader takes its members along, as the kernel has it. */
void counter_switch(struct counters *counters, size_t index, bool on);
/* Start only those that an exec doesn't start: machine-wide PMUs beside a workload. */
void counters_enable_machine_wide(struct counters *counters);
/* Read every open cell into values. */
void counters_read(struct counters *counters);
/*
 * Close all. Closing the last user of a tracepoint waits for the kernel (36 ms each, one after the other): such
 * descriptors are left to a process of its own, without terminal, standard streams and working folder, so that we
 * end at once. Whatever must reach the user has to be flushed before.
 */
void counters_close(struct counters *counters);

/* How many of the events are open on at least one cell. */
size_t counters_open_count(const struct counters *counters);
/* Why an event isn't counted, in words, with the remedy in hint. */
void counter_refusal_explain(const struct counter *counter, const struct sysroot *root, struct error *ret_reason);

#endif
