/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs commands in randomised, interleaved blocks and keeps what each run measured.
 *
 * An arm is one way to run (a command, or the same command with an intervention). A block runs every arm once
 * in random order, so that drift of the machine hits all arms alike; runs of one block are a pair. A policy
 * says whether another block is wanted; a runner says how one run is measured and what that gives. Order is a
 * function of the seed alone.
 * Invariant: every block in the table is complete; runs of one that was not finished stand apart. A block during which
 * the machine was suspended (CLOCK_BOOTTIME went on, CLOCK_MONOTONIC not) is run again: its runs are no pair.
 */
#ifndef PLUMB_EXPERIMENT_EXPERIMENT_H
#define PLUMB_EXPERIMENT_EXPERIMENT_H

#include "base/error.h"
#include "experiment/run_settings.h"
#include "statistics/run_table.h"

#include <stdint.h>

struct experiment_arm {
    const char *label;
    char *const *argv;        /* ends with NULL */
    char *const *environment; /* "NAME=value" added for this arm, or NULL */
    const struct run_settings *settings; /* under which it runs, or NULL */
};

struct experiment_runner {
    void *context;
    const struct run_quantity *quantities; /* what one run measures */
    size_t quantity_count;
    /*
     * Measure one run: a cell per quantity. block SIZE_MAX is a warm-up: its cells don't count. A run that ends with a
     * non-zero status is no error here; its status is handed out.
     */
    bool (*run)(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                int *ret_exit_code, struct error *err);
};

struct experiment_policy {
    void *context;
    bool (*wants_block)(void *context, const struct run_table *so_far);
};

struct experiment_request {
    const struct experiment_arm *arms;
    size_t arm_count;
    size_t warmup_blocks; /* run first, not kept */
    double warmup_seconds; /* none begins when the ones before have lasted that long; 0: no bound */
    uint64_t seed;
    bool keep_failed; /* a run with a non-zero status is kept; else it ends the experiment with an error */
    struct experiment_runner runner;
    struct experiment_policy policy;
    /* Called before each run for a progress line; may be NULL. */
    void (*progress)(void *context, const struct experiment_arm *arm, size_t block, bool is_warmup);
    void *progress_context;
    const struct sysroot *root;      /* where settings are made; NULL: the live machine */
    uint64_t (*suspended_ns)(void);  /* time the machine was suspended since boot; NULL: asks the clocks */
};

struct experiment_result {
    struct run_table table;
    bool interrupted;
    struct run_table unfinished; /* one block at most: arms that did not run say so */
    struct run_table warmups;    /* likewise, of all that were begun */
    size_t suspended_blocks;     /* left out, and run again */
    double suspended_s;          /* how long the machine slept in them */
};

/*
 * Errors: what a runner says (a command that can't be started); ERROR_SYSTEM naming the run that failed, unless
 * keep_failed. The complete blocks before it are in the result, which experiment_result_done releases either way.
 */
MUST_CHECK bool experiment_run_blocks(const struct experiment_request *request, struct experiment_result *result,
                                      struct error *err);
void experiment_result_done(struct experiment_result *result);

/*
 * False, as error_set: there is no complete block, and what was run is told. The first quantities are child_quantities.
 */
bool experiment_interrupted_early(const struct experiment_result *result, struct error *err);

/* What every child shows for nothing: wall, user, system, CPU time, memory, faults, switches (wait4's rusage). */
enum child_quantity {
    CHILD_WALL,
    CHILD_CPU,
    CHILD_USER,
    CHILD_SYSTEM,
    CHILD_RSS_MOST,
    CHILD_MINOR_FAULTS,
    CHILD_MAJOR_FAULTS,
    CHILD_VOLUNTARY_SWITCHES,
    CHILD_INVOLUNTARY_SWITCHES,
    CHILD_QUANTITY_COUNT
};
#define CHILD_QUANTITIES                                                                                              \
    [CHILD_WALL] = {"wall", "wall time", RUN_SECONDS}, [CHILD_CPU] = {"cpu", "CPU time", RUN_SECONDS},                \
    [CHILD_USER] = {"user", "user CPU time", RUN_SECONDS},                                                            \
    [CHILD_SYSTEM] = {"system", "system CPU time", RUN_SECONDS},                                                      \
    [CHILD_RSS_MOST] = {"max-rss", "memory at its peak", RUN_BYTES},                                                  \
    [CHILD_MINOR_FAULTS] = {"minor-faults", "page faults", RUN_COUNT},                                                \
    [CHILD_MAJOR_FAULTS] = {"major-faults", "page faults read from storage", RUN_COUNT},                              \
    [CHILD_VOLUNTARY_SWITCHES] = {"voluntary-switches", "times it waited", RUN_COUNT},                                \
    [CHILD_INVOLUNTARY_SWITCHES] = {"involuntary-switches", "times it was preempted", RUN_COUNT}
extern const struct run_quantity child_quantities[CHILD_QUANTITY_COUNT];

/* What the arm's program finds around it: its environment, its settings, no terminal. */
struct workload_surroundings arm_surroundings(const struct experiment_arm *arm);

struct workload;
/* Shape: CHILD_QUANTITY_COUNT cells, of a workload that was reaped. */
void child_cells(const struct workload *workload, struct measured *ret_cells);

/* Run a shell line and wait for it. Errors: ERROR_SYSTEM when it ends with a status other than 0. */
MUST_CHECK bool prepare_run(const char *line, struct error *err);

/* Runs the arm as a child whose standard output and input are /dev/null; child_quantities. */
struct experiment_runner experiment_runner_plain(void);
/* A fixed number of blocks; *count must outlive the experiment. */
struct experiment_policy experiment_policy_fixed(const size_t *count);

#endif
