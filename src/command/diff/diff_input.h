/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording's samples as rows of plumb diff: each named by the keys that were asked for, spread over slices of time.
 */
#ifndef PLUMB_COMMAND_DIFF_DIFF_INPUT_H
#define PLUMB_COMMAND_DIFF_DIFF_INPUT_H

#include "analyse/runs/share_difference.h"
#include "command/recording/recording_input.h"
#include "command/recording/sample_filter.h"
#include "command/recording/stack_input.h"
#include "command/report/report_words.h"

struct diff_input {
    struct recording_input recording; /* its path is each file's */
    const char *event;
    struct sample_filter_options filter;
    const char *comms, *dsos, *symbols; /* rows to show: NULL or lists */
    const char *function;              /* by instruction within it; NULL: by keys */
    const struct column_list *keys;
    struct sample_filter *filters[2]; /* of A's samples, and of B's */
    bool quiet;
};

/* The event that all are compared by: chosen by the first recording. */
struct diff_event {
    char *name; /* owned; NULL: none yet */
    bool counts_ns;
};

void diff_event_done(struct diff_event *event);
/* Errors: the recording's; that it has no samples of the event, or none in the function. */
MUST_CHECK bool diff_input_read(const struct diff_input *input, const struct context *context, const char *path,
                                bool is_b, struct diff_event *event, struct share_difference *difference,
                                struct error *err);

#endif
