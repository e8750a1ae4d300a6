/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that open the recorder's events share: the opening, what to ask for, why it was refused. */
#ifndef PLUMB_SOURCE_RECORDER_EVENTS_RECORDER_OPENING_H
#define PLUMB_SOURCE_RECORDER_EVENTS_RECORDER_OPENING_H

#include "source/recorder/events/recorder_counters.h"

/* One thread or CPU to open on. */
struct place {
    pid_t pid; /* or the cgroup's descriptor, or -1 */
    int cpu;
    unsigned long flags;
    bool sampled; /* false: only the tracking event, for what happens on CPUs that are not sampled */
    uint32_t ring;
};

typedef vec(struct place) places;

struct opening {
    struct recorder_counters *counters;
    const struct recorder_request *request;
    const struct sysroot *root;
    recorder_notes *notes;
    places places;
    int *group_leaders; /* by group, first and second streams: descriptors at the place being opened */
    int group_count;
    bool ring_too_large;
    pid_t refused_thread; /* where an event was refused: that thread, or 0 */
};

/* recorder_attributes.c: a stream for each event, and its twin, and the tracking event. */
void recorder_streams_add(struct opening *opening);
/* Ask for less after a refusal; false when there is nothing left to give up. */
bool recorder_stream_ask_less(struct opening *opening, struct counter_stream *stream, int sys_errno);
bool recorder_event_leads(const struct recorder_request *request, size_t index); /* its group, or itself */

/* The kernel may accept groups that never fit: their events don't say that they will be enabled by exec. */
bool recorder_groups_unchecked(const struct recorder_request *request);

/* recorder_refusal.c: why it can't be opened, and what would help. Returns false. */
bool recorder_open_failed(const struct opening *opening, const struct counter_stream *stream, int sys_errno,
                          struct error *err);
/* The kernel didn't take the filter. Returns false. */
bool recorder_filter_failed(const struct opening *opening, const struct counter_stream *stream, const char *filter,
                            int sys_errno, struct error *err);

#endif
