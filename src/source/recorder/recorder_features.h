/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording says about the machine and about itself: the feature sections of perf.data that are known
 * before the first sample. What the machine doesn't tell is left out.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_FEATURES_H
#define PLUMB_SOURCE_RECORDER_RECORDER_FEATURES_H

#include "source/perf_data/perf_data_writer.h"
#include "system/sysroot.h"

struct recorder_features_input {
    const struct perf_data_event *events;
    size_t event_count;
    const int *groups; /* of each event, EVENT_NO_GROUP for none */
    char *const *command_line; /* NULL-terminated, or NULL */
    int clock_id;              /* RECORDER_NO_CLOCK: none */
    int compression_level;     /* 0: none */
    bool branch_stacks;
};

void recorder_features_gather(perf_data_features *features, const struct recorder_features_input *input,
                              const struct sysroot *root);

/* The COMPRESSED section; ratio in whole parts, known at the end. */
void recorder_features_add_compression(struct text *out, int level, uint32_t ratio);

/*
 * The TRACING_DATA section: the formats of the tracepoints among the events, so that their raw data can be read
 * elsewhere. Adds nothing when there are none. Errors: tracefs can't be read.
 */
MUST_CHECK bool recorder_tracing_data_add(perf_data_features *features, const struct perf_data_event *events,
                                          size_t event_count, const struct sysroot *root, struct error *err);

#endif
