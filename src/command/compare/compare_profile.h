/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a few more blocks of two commands under the recorder, to see in which functions, instructions and vector widths the
 * difference goes, and which binaries they loaded.
 */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_PROFILE_H
#define PLUMB_COMMAND_COMPARE_COMPARE_PROFILE_H

#include "analyse/runs/explanation.h"
#include "command/command.h"
#include "command/compare/compare_treatment.h"
#include "experiment/experiment.h"

struct profile_request {
    const struct experiment_arm *a, *b;
    uint64_t blocks, seed;
    const char *prepare; /* or NULL */
    bool keep_failed;
    struct fact_differences *facts; /* binaries that differ are added */
    struct arena *arena;            /* of their names */
};

/* Errors: of recording (no permission to sample), of reading. Interrupted: what complete blocks there are. */
MUST_CHECK bool compare_profile(const struct context *context, const struct profile_request *request,
                                struct run_profiles *profiles, struct error *err);

#endif
