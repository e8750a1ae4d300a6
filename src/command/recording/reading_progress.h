/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far is reading a recording, when that takes more than a second and somebody looks at a terminal?
 *
 * One line that is drawn anew, and gone when reading ends. Never where talk is no terminal that can erase a line.
 */
#ifndef PLUMB_COMMAND_RECORDING_READING_PROGRESS_H
#define PLUMB_COMMAND_RECORDING_READING_PROGRESS_H

#include "base/text.h"
#include "capture/capture.h"

#include <stdio.h>

struct reading_progress {
    FILE *talk; /* NULL: nobody is told */
    double began_s, drawn_s; /* drawn 0: not yet */
};

/* What capture_options.progress may point to while progress stands. quiet: nobody is told. */
struct capture_progress reading_progress_begin(struct reading_progress *progress, FILE *talk, bool quiet);
/* Erase what was drawn. */
void reading_progress_end(struct reading_progress *progress);

/* "reading: [####    ] 45 %, 540 of 1200 MB, 3 s left"; without its total, as of a pipe, "reading: 540 MB". */
void reading_progress_text(struct text *out, uint64_t read_bytes, uint64_t total_bytes, double elapsed_s);

#endif
