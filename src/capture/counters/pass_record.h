/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did each group count in one pass over the subject?
 *
 * A pass starts the subject once, or watches it once. Its groups count all at the same time (the kernel's rotation,
 * when they don't fit together), or in slices: one after the other, in another order each round. They are read every
 * read_ns.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_PASS_RECORD_H
#define PLUMB_CAPTURE_COUNTERS_PASS_RECORD_H

#include "capture/counters/pass_subject.h"
#include "capture/counters/scheduled_counters.h"

struct pass_group {
    uint32_t group; /* of the schedule */
    const struct group_window *windows;
    size_t window_count;
    const char **refused; /* of each event: why it isn't counted, or NULL */
    const int *cpus; /* of a target that is CPUs: which … */
    const struct group_window *cpu_windows; /* … and all that was counted on each */
    size_t cpu_count;
    bool never_ran;
    bool user_only; /* the kernel may not be counted, and is no part of it */
};

struct pass_request {
    const struct schedule_request *events;
    const struct schedule *schedule;
    const struct event_spec *specs; /* of each of the request's events */
    const uint32_t *groups;         /* of the schedule, to be counted in this pass */
    size_t group_count;
    uint64_t slice_ns; /* 0: all at once */
    uint64_t read_ns;  /* when all at once */
    uint64_t seed;     /* of the slices' order */
    /* Told each time a group was read: that window alone. Valid during the call; NULL: nobody asks. */
    void (*window_read)(void *context, const struct pass_group *read);
    void *context;
};

/* Page faults until then, as the kernel's own counter has them. */
struct pass_faults {
    uint64_t time_ns;
    uint64_t faults;
};

struct pass_record {
    struct pass_group *groups; /* in the request's order */
    size_t group_count;
    const struct pass_faults *faults; /* at each read; none where they can't be counted */
    size_t fault_count;
    uint64_t elapsed_ns;
    int exit_code;
};

/* Errors: of the subject and of scheduled_counters_open. Owner of all: arena. */
MUST_CHECK bool pass_record_make(struct pass_record *ret_record, const struct pass_request *request,
                                 const struct pass_subject *subject, const struct kernel *kernel,
                                 const struct sysroot *root, struct arena *arena, struct error *err);

/*
 * What the groups counted, for whoever lets their time go by: counters that were opened as the request says. Owner of
 * all: arena.
 */
void pass_groups_keep(struct pass_record *record, const struct scheduled_counters *set,
                      const struct scheduled_counters_request *of, const struct sysroot *root, struct arena *arena);

#endif
