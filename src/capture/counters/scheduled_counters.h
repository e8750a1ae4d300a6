/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did each group of a schedule count in each window?
 *
 * Groups are opened as scheduled (metric/schedule/schedule.h) and stay apart, so that one pass opens one of them,
 * slices start them in turn, and multiplexing starts all. A window lies between two reads; it holds raw counts:
 * dividing counts of one group and window needs no scaling. Counts of several CPUs or threads are added, and so are
 * their times. What can't be opened keeps its place with the reason. A window in which PERF_METRICS' slots stood still
 * while its group ran is not counted: some kernels lose them.
 * Does not support: samples, events outside of groups, rdpmc.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_SCHEDULED_COUNTERS_H
#define PLUMB_CAPTURE_COUNTERS_SCHEDULED_COUNTERS_H

#include "metric/event.h"
#include "metric/schedule/group_window.h"
#include "metric/schedule/schedule.h"
#include "system/kernel.h"

struct target;
struct scheduled_counters;

struct scheduled_counters_request {
    const struct schedule_request *events; /* what the schedule was built from */
    const struct schedule *schedule;
    const struct event_spec *specs;        /* how each of the request's events is encoded */
    const uint32_t *groups;                /* those of the schedule to open */
    size_t group_count;
    const struct target *target;
    bool inherit;
    /*
     * so many take turns, others included, from the first start on: a workload's don't wait for its exec; 0: as started
     */
    size_t turns;
};

/*
 * Open the groups; a workload's wait for its exec. Errors: ERROR_LIMIT, ERROR_NOT_FOUND (the target is gone).
 * Owner: the caller (scheduled_counters_free).
 */
MUST_CHECK bool scheduled_counters_open(struct scheduled_counters **ret_set,
                                        const struct scheduled_counters_request *request, const struct kernel *kernel,
                                        const struct sysroot *root, struct error *err);
void scheduled_counters_free(struct scheduled_counters *set); /* NULL is fine */

enum { SCHEDULED_ALL = -1 };

/* `group` counts from the request's; SCHEDULED_ALL: each. A window begins with start, or with the read before. */
void scheduled_counters_start(struct scheduled_counters *set, int group, uint64_t now_ns);
void scheduled_counters_stop(struct scheduled_counters *set, int group);
/* End a window of the group, and begin the next. */
void scheduled_counters_read(struct scheduled_counters *set, int group, uint64_t now_ns);

/* All windows of a group so far, oldest first; valid until the next read. */
size_t scheduled_counters_windows(const struct scheduled_counters *set, size_t group,
                                  const struct group_window **ret_windows);
/* Why an event of a group isn't counted (with the remedy as hint); false: it is. */
bool scheduled_counters_refused(const struct scheduled_counters *set, size_t group, size_t event,
                                const struct sysroot *root, struct error *ret_reason);
/*
 * One window of all that the group counted so far on one of its CPUs; ret_counts: one for each event. Shape: cpu counts
 * from 0.
 */
size_t scheduled_counters_cpus(const struct scheduled_counters *set, size_t group, const int **ret_cpus);
struct group_window scheduled_counters_cpu_window(const struct scheduled_counters *set, size_t group, size_t cpu,
                                                  double *ret_counts);
/* Whether an event of the group counts user code only, as the kernel may not be counted. */
bool scheduled_counters_user_only(const struct scheduled_counters *set, size_t group);
/* Whether the group was enabled and never had its turn on the counters: others hold them, or a kernel's fault. */
bool scheduled_counters_never_ran(const struct scheduled_counters *set, size_t group);

#endif
