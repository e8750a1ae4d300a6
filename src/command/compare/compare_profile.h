/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a few more blocks of two commands under the recorder, to see in which functions, instructions and vector widths
 * the difference goes, and which binaries they loaded.
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

/* The recordings of two cases of plumb diagnose: one a run. */
struct saved_profiles {
    const char *case_a, *case_b, *command_a, *command_b;
    size_t runs;         /* of each that are read: no pairs, but any pairing of independent runs is as good */
    const double *cpu_s; /* CPU time of those of A, then of B */
    struct fact_differences *facts;
    struct arena *arena;
};

/* Errors: of reading. */
MUST_CHECK bool compare_profile_cases(const struct context *context, const struct saved_profiles *saved,
                                      struct run_profiles *profiles, struct error *err);

#endif
