/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything measured in one run, filled from a source by one loop; the same for live events, files and
 * replay.
 */
#ifndef PLUMB_CAPTURE_CAPTURE_H
#define PLUMB_CAPTURE_CAPTURE_H

#include "base/error.h"
#include "model/recording.h"
#include "source/source.h"

struct capture {
    struct recording recording;
    struct source_facts facts; /* strings copied to the recording's arena */
    struct source_losses losses;
};

void capture_init(struct capture *capture);
void capture_done(struct capture *capture);

/* What a record adds beyond the model, for commands that print records one by one; may be NULL. */
struct capture_watch {
    void *context;
    bool (*record)(void *context, struct capture *capture, const struct record *record, const struct sample *sample);
};

/*
 * Pull the source to its end. With watch, watch->record is called after each record has been applied; samples
 * are kept only when keep_samples.
 * Errors: what the source says; whatever came before the error is in the capture.
 */
MUST_CHECK bool capture_fill(struct capture *capture, struct source *source, const struct capture_watch *watch,
                             bool keep_samples, struct error *err);

#endif
