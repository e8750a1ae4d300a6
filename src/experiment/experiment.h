/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs commands in randomised, interleaved blocks and keeps what each run measured.
 *
 * An arm is one way to run (a command, or the same command with an intervention). A block runs every arm once
 * in random order, so that drift of the machine hits all arms alike; runs of one block are a pair. A policy
 * says whether another block is wanted; a runner says how one run is measured (by default: start it, wait,
 * keep times and rusage). Order is a function of the seed alone.
 * Invariant: runs of an unfinished block are dropped, so every block in the result is complete.
 */
#ifndef PLUMB_EXPERIMENT_EXPERIMENT_H
#define PLUMB_EXPERIMENT_EXPERIMENT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct experiment_arm {
    const char *label;
    char *const *argv;        /* ends with NULL */
    char *const *environment; /* "NAME=value" added for this arm, or NULL */
};

struct experiment_run {
    size_t arm, block;
    size_t order; /* position within its block */
    double wall_s, user_s, system_s;
    uint64_t rss_most_bytes, minor_faults, major_faults, voluntary_switches, involuntary_switches;
    int exit_code;
};

struct experiment_result {
    struct experiment_run *runs; /* by block, then in the order run */
    size_t run_count, capacity;
    size_t block_count; /* complete blocks */
    bool interrupted;
};

struct experiment_runner {
    void *context;
    bool (*run)(void *context, const struct experiment_arm *arm, struct experiment_run *ret_run, struct error *err);
};

struct experiment_policy {
    void *context;
    bool (*wants_block)(void *context, const struct experiment_result *so_far);
};

struct experiment_request {
    const struct experiment_arm *arms;
    size_t arm_count;
    size_t warmup_blocks; /* run first, not kept */
    uint64_t seed;
    struct experiment_runner runner;
    struct experiment_policy policy;
    /* Called before each run for a progress line; may be NULL. */
    void (*progress)(void *context, const struct experiment_arm *arm, size_t block, bool is_warmup);
    void *progress_context;
};

/*
 * Errors: what a runner says (a command that can't be started); the complete blocks before it are in the
 * result. A run that ends with a non-zero status is kept with it; judging is the caller's.
 */
MUST_CHECK bool experiment_run_blocks(const struct experiment_request *request, struct experiment_result *result,
                                      struct error *err);
void experiment_result_done(struct experiment_result *result);

/* Runs the arm as a child whose standard output and input are /dev/null, measured by the clock and rusage. */
struct experiment_runner experiment_runner_plain(void);
/* A fixed number of blocks; *count must outlive the experiment. */
struct experiment_policy experiment_policy_fixed(const size_t *count);

enum experiment_quantity {
    EXPERIMENT_WALL_S,
    EXPERIMENT_CPU_S, /* user + system */
    EXPERIMENT_USER_S,
    EXPERIMENT_SYSTEM_S,
};

/* One quantity of one arm, block by block. Shape: block_count values. Owner: the caller (free). */
double *experiment_column(const struct experiment_result *result, size_t arm, enum experiment_quantity quantity);

#endif
