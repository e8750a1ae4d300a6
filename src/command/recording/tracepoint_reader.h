/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of a recording's tracepoints: by the formats that it holds, else by this machine's own of the same
 * tracepoint.
 */
#ifndef PLUMB_COMMAND_RECORDING_TRACEPOINT_READER_H
#define PLUMB_COMMAND_RECORDING_TRACEPOINT_READER_H

#include "decode/tracepoint_text.h"
#include "source/source.h"

struct tracepoint_reader {
    struct tracepoint_text *text; /* NULL: libtraceevent isn't there, or nothing was asked yet */
    bool tried;
    /* Names the kernel's functions that events hold addresses of; NULL: not named. */
    tracepoint_function_at *function_at;
    void *names;
};

void tracepoint_reader_done(struct tracepoint_reader *reader);
/* Whether the event's fields can be shown. False: err says why not. */
MUST_CHECK bool tracepoint_reader_learn(struct tracepoint_reader *reader, const struct source *source,
                                        const struct source_event *event, struct error *err);

#endif
