/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's open events and their ring buffers: which attributes this kernel takes, on which threads
 * and CPUs they stand, and into which buffer each writes.
 *
 * A stream is one perf_event_attr opened at every place of the target. An event with CALLCHAIN_AUTO has two:
 * with frame pointers, enabled, and with stack dumps, waiting. The last stream is the tracking event, which
 * owns the buffers.
 */
#ifndef PLUMB_SOURCE_RECORDER_EVENTS_RECORDER_COUNTERS_H
#define PLUMB_SOURCE_RECORDER_EVENTS_RECORDER_COUNTERS_H

#include "base/vec.h"
#include "source/recorder/recorder.h"
#include "source/live/ring_buffer.h"

#define STREAM_TRACKING SIZE_MAX

typedef vec(char *) recorder_notes;
__attribute__((format(printf, 2, 3))) void recorder_notes_add(recorder_notes *notes, const char *format, ...);
void recorder_notes_cut(recorder_notes *notes, size_t count); /* to the first of them */
void recorder_notes_done(recorder_notes *notes);

struct counter_stream {
    size_t event; /* of the request, or STREAM_TRACKING */
    bool is_second; /* the dump-taking twin of a CALLCHAIN_AUTO event; or is_sparse */
    bool is_sparse; /* the twin of a paced event that stands in while that is stopped */
    char *name;
    struct perf_event_attr attr;
    unsigned steps_down; /* what this kernel or these permissions don't take */
    bool paused;         /* by recorder_counters_set_event */
    bool is_paced;       /* has rings of its own: see recorder_event.is_paced */
    vec(uint64_t) ids;
};

struct counter_fd {
    int fd;
    uint32_t stream, ring;
};

struct counter_ring {
    struct ring_buffer buffer;
    int cpu;   /* or -1 */
    pid_t tid; /* of a per-thread ring, else 0 */
    size_t poll_at; /* the descriptor to poll, index into fds */
    bool ended;     /* every event that writes here belongs to threads that have ended */
    bool is_paced;
};

struct recorder_counters {
    const struct kernel *kernel;
    vec(struct counter_stream) streams;
    vec(struct counter_fd) fds;
    vec(struct counter_ring) rings;
    size_t ring_bytes;
    bool on_twins;    /* the waiting twins have taken over */
    int broken_group; /* why it couldn't be opened: this weak group doesn't fit; else EVENT_NO_GROUP */
};

bool recorder_event_is_paced(const struct recorder_request *request, size_t event);
size_t recorder_ring_bytes(const struct recorder_counters *counters, bool paced);
/* Let the paced events sample, or their sparse twins; but those that are paused. */
bool recorder_counters_set_paced(struct recorder_counters *counters, bool enabled, struct error *err);
bool recorder_wants_data_mmaps(const struct recorder_request *request);
MUST_CHECK bool recorder_counters_open(struct recorder_counters *counters, const struct recorder_request *request,
                                       const struct kernel *kernel, const struct sysroot *root,
                                       recorder_notes *notes, struct error *err);
void recorder_counters_done(struct recorder_counters *counters);
/* Start every sampling event that isn't paused, or stop all; of twins the one whose turn it is. */
bool recorder_counters_set(struct recorder_counters *counters, bool enabled, struct error *err);
/* Start or pause one event. */
bool recorder_counters_set_event(struct recorder_counters *counters, size_t event, bool enabled, struct error *err);
/* From frame pointers to the waiting twins that copy stacks. */
bool recorder_counters_switch(struct recorder_counters *counters, struct error *err);
/*
 * Until a buffer fills, one of wake_fds (-1: none) is readable or timeout_ms has passed; marks rings whose events have
 * ended. Returns whether it was the first of wake_fds, or a signal.
 */
bool recorder_counters_wait(struct recorder_counters *counters, const int wake_fds[2], int timeout_ms);

#endif
