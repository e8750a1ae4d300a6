/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came of a recording, in a few lines: samples, stacks that reached their root, copied code, losses. */
#ifndef PLUMB_COMMAND_RECORD_RECORD_SUMMARY_H
#define PLUMB_COMMAND_RECORD_RECORD_SUMMARY_H

#include "command/record/record_unwinding.h"
#include "source/recorder/recorder.h"

#include <stdio.h>

struct record_summary {
    FILE *talk;
    const char *output;
    bool quiet;
    const struct unwound_share *unwound; /* of stack dumps; NULL: not known, because: */
    const char *not_unwound;
    const char *program, *guarded; /* what was started, and why the kernel ends its counting ("setuid"), or NULL */
};

/* complete: everything that was sampled is in the file. */
void record_summary_say(const struct record_summary *summary, const struct recorder_result *result, bool complete);

#endif
