/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was each thread doing, one sample after the other? A row for each thread that has samples of one event, in the
 * order of their first, each with its samples by time; stacks are one tree. From samples as they come, of which it
 * keeps 16 bytes each, and kept switches.
 */
#ifndef PLUMB_ANALYSE_PROFILE_THREAD_SERIES_H
#define PLUMB_ANALYSE_PROFILE_THREAD_SERIES_H

#include "analyse/profile/places.h"

#define SERIES_ROOT UINT32_MAX

struct series_stack {
    uint32_t caller; /* a stack before it, or SERIES_ROOT */
    uint32_t place;
};

struct series_sample {
    uint64_t time_ns;
    uint32_t row, stack; /* until the series is built: the thread, and which of `origins` */
};

/* What samples have in common: their event, and their stack, or their location where they have no stack. */
struct series_origin {
    uint32_t event, stack, location;
};

/* Between two times on a CPU. */
struct series_wait {
    uint64_t from_ns, until_ns;
    uint32_t row;
    bool preempted;
};

struct series_row {
    uint32_t thread; /* of the recording */
    uint32_t pid, tid;
    const char *name, *process; /* the process's first thread's name; owner: the recording */
    size_t first, count;        /* into samples */
    size_t first_wait, wait_count;
};

/* Records that the kernel couldn't keep, as it told when it could again. */
struct series_loss {
    uint64_t time_ns, count;
};

struct thread_series {
    struct series_row *rows;
    size_t row_count, row_capacity;
    struct series_sample *samples; /* by row, then time */
    size_t sample_count, sample_capacity;
    struct series_stack *stacks; /* each behind its caller */
    size_t stack_count, stack_capacity;
    struct series_wait *waits; /* by row, then time */
    size_t wait_count, wait_capacity;
    const struct series_loss *losses; /* the caller's */
    size_t loss_count;
    const struct places *places;
    const char *event;
    uint64_t first_ns, last_ns; /* of the samples */
    struct hashmap map;
    struct series_origin *origins;
    size_t origin_count, origin_capacity;
    struct hashmap origin_map;
};

/* In order of time. The series begins as {0}. */
void thread_series_add(struct thread_series *series, const struct recording *recording, const struct sample *sample);
/* When all have been added: the series of one event. */
void thread_series_build(struct thread_series *series, const struct recording *recording, struct places *places,
                         uint32_t event);
void thread_series_done(struct thread_series *series);

#endif
