/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many blocks are run: a number, as long as a time lasts, or until every comparison is decided.
 *
 * Looking early costs error: the levels of statistics/sequential keep the rate of wrong decisions over all looks at
 * what a single look would have.
 */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_POLICY_H
#define PLUMB_COMMAND_COMPARE_COMPARE_POLICY_H

#include "analyse/runs/comparison.h"
#include "experiment/experiment.h"
#include "statistics/sequential.h"

#include <stdio.h>

enum {
    COMPARE_FIRST_LOOK = 8, /* blocks before the first look: fewer give no interval that is sure enough */
    COMPARE_LOOKS_MOST = 64 /* each has a quarter more blocks than the one before */
};

enum stop_reason {
    STOP_NOT_YET,
    STOP_COUNT,   /* as many blocks as were asked */
    STOP_TIME,    /* the time was up */
    STOP_DECIDED, /* every comparison is decided */
    STOP_MOST     /* as many as one will wait for, and still undecided */
};

struct compare_policy {
    uint64_t count;      /* 0: not by number */
    double seconds;      /* 0: no bound on time */
    uint64_t seconds_least; /* blocks that are run whatever the time; 0: one */
    double seconds_most; /* … but none begins behind it, once there is one; 0: no bound */
    bool until_decided;
    uint64_t blocks_most;
    size_t arm_count, quantity;
    size_t again; /* the arm that runs the first command a second time, or SIZE_MAX */
    double effect_ratio;
    /* What counts as decided, when it isn't the comparison's own verdict; NULL: that. */
    bool (*decides)(void *context, const struct comparison *comparison);
    void *decides_context;

    /* Planned looks and their levels, which don't depend on what is measured: compare_policy_begin fills them once. */
    struct planned_look {
        size_t pairs;
        double alpha;
    } looks[COMPARE_LOOKS_MOST];
    size_t look_count, looks_done;
    double started_s;
    double alpha; /* the level of the last look, for all comparisons together */
    enum stop_reason reason;
};

void compare_policy_begin(struct compare_policy *policy);
struct experiment_policy compare_policy_interface(struct compare_policy *policy);
/*
 * The level at which to judge what there is: of the look that decided, or of a last one that spends the rest. For each
 * of the comparisons, so that all hold together.
 */
double compare_policy_alpha(struct compare_policy *policy, const struct run_table *table);
/*
 * In the terminal's line of progress, anew: which block runs (from 0), since when, whose run it is, and how long it
 * goes on by what a block took so far.
 */
void compare_policy_progress(const struct compare_policy *policy, FILE *talk, const char *label, size_t block);

#endif
