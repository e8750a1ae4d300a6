/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one loop that counts: starts the program or attaches, opens the counters, waits (for the program, an
 * interval, a timeout, the control file, the user) and hands out what was counted in each window.
 *
 * A program that can't be counted (no perf_event_open, no permission) still runs and is timed: its elapsed, user
 * and system time need no counters.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_COUNTING_H
#define PLUMB_CAPTURE_COUNTERS_COUNTING_H

#include "capture/control.h"
#include "model/count_table.h"
#include "source/live/counters.h"
#include "source/live/workload.h"

enum counting_notice {
    /* counters were switched on: by the control file, or after the delay; about: that event, NULL: all */
    NOTICE_ENABLED,
    NOTICE_DISABLED,
    NOTICE_EVENT,         /* about: one of the events, whose names were asked for */
    NOTICE_UNKNOWN_EVENT, /* about: what was to be switched */
    NOTICE_UNKNOWN_ORDER, /* about: what came from the control file */
    NOTICE_STOPPED,       /* about: a process that doesn't run, as "PID 'name'" */
};

struct counting_plan {
    const struct event_list *events;
    const struct counter_cgroup *cgroups;    /* one per event, or NULL */
    const struct target_request *target;
    char *const *argv;                       /* the program, or NULL */
    const struct workload_surroundings *surroundings; /* what it finds around it; NULL: what we have */
    bool inherit;
    bool keep_pmus_apart;                    /* an event on several PMUs gives several rows */
    uint64_t interval_ns;                    /* 0: only the whole */
    uint64_t interval_count;                 /* 0: any number */
    uint64_t timeout_ns;                     /* 0: none; the program is then ended with SIGTERM */
    int64_t delay_ns;                        /* before the counters start; -1: until the control file says so */
    struct control *control;                 /* NULL: none */
    bool (*interval)(void *context, const struct count_table *window);
    void (*notice)(void *context, enum counting_notice notice, const char *about);
    void *context;
};

/* One run. */
struct counting {
    struct counters counters;
    struct target target;
    struct arena arena;
    struct count_table total;
    bool has_workload;
    struct workload workload;
    uint64_t elapsed_ns;
    bool ended_here;         /* it was the timeout, or --control's stop, that ended the program */
    bool interval_failed;    /* plan->interval said stop */
};

/*
 * Count one run. After it, total, elapsed and (with a program) workload.usage are valid, also when no event could
 * be opened; counting_done releases them.
 * Errors: of the target, of starting the program (workload_exec_exit_code tells the status), ERROR_LIMIT.
 */
MUST_CHECK bool counting_run(struct counting *counting, const struct counting_plan *plan, const struct kernel *kernel,
                             const struct sysroot *root, struct error *err);
void counting_done(struct counting *counting);

/* Every event's role, excluded bits and names as a row without cells; for tests and replay. */
enum count_role count_role_of(const struct perf_event_attr *attr);

#endif
