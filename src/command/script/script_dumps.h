/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each event's samples into a text file of their own, RECORDING.EVENT.dump, as perf script --per-event-dump has them.
 */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_DUMPS_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_DUMPS_H

#include "base/error.h"
#include "base/spliced_text.h"
#include "base/vec.h"
#include "source/source.h"

struct script_dump {
    FILE *file;
    char *path;
    uint64_t samples;
};

/* Zeroed: none. */
struct script_dumps {
    vec(struct script_dump) items; /* by event */
    struct text buffer;
};

/* Begin the files of events that have none yet, beside the recording. Errors: naming the one that can't be written. */
MUST_CHECK bool script_dumps_open(struct script_dumps *dumps, const char *recording, const struct source *source,
                                  struct error *err);
/* Write a sample of the event; the text is empty afterwards. */
MUST_CHECK bool script_dumps_write(struct script_dumps *dumps, uint32_t event, struct spliced_text *text,
                                   struct error *err);
/* Finish the files and say on talk (NULL: nowhere) what is in them. */
MUST_CHECK bool script_dumps_finish(struct script_dumps *dumps, FILE *talk, struct error *err);
void script_dumps_done(struct script_dumps *dumps);

#endif
