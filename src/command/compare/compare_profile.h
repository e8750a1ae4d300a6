/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a few more blocks of two commands under the recorder, to see in which functions the difference goes. */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_PROFILE_H
#define PLUMB_COMMAND_COMPARE_COMPARE_PROFILE_H

#include "analyse/runs/profile_difference.h"
#include "command/command.h"
#include "experiment/experiment.h"

struct profile_request {
    const struct experiment_arm *a, *b;
    uint64_t blocks, seed;
    const char *prepare; /* or NULL */
    bool keep_failed;
};

/* Errors: of recording (no permission to sample), of reading. Interrupted: what complete blocks there are. */
MUST_CHECK bool compare_profile(const struct context *context, const struct profile_request *request,
                                struct profile_difference *difference, struct error *err);

#endif
