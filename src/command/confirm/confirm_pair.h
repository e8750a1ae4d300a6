/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs an experiment's pair in blocks, as compare does, until the prediction is confirmed or overturned, and judges it.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_PAIR_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_PAIR_H

#include "analyse/runs/confirmation.h"
#include "command/command.h"
#include "command/compare/compare_policy.h"
#include "command/confirm/confirm_experiments.h"
#include "command/confirm/confirm_hogs.h"

struct confirm_pair_request {
    struct context *context;
    const struct confirm_experiment *experiment;
    const struct foretold *foretold;
    struct experiment_arm a, b;
    bool by_cpu;
    struct confirm_hogs *hogs; /* B runs beside them; NULL: there are none */
    struct interval share;     /* with hogs: of its time, waited for bandwidth */
    const char *work;     /* the word before the amount of work that it prints; NULL: each run does the same */
    uint64_t runs;        /* 0: until decided */
    double seconds;
    /* until decided, but no longer, once there are as many blocks as an interval needs; 0: no bound */
    double budget_s;
    double budget_most_s; /* … nor beyond this, however few there are; 0: no bound */
    uint64_t most, warmup, seed;
    bool keep_failed, no_noise_floor, quiet;
};

enum took_hold {
    TOOK_HOLD_UNKNOWN,
    TOOK_HOLD,
    TOOK_HOLD_NOT
};

struct confirm_pair {
    struct arena arena;
    struct experiment_result result;
    struct compare_policy policy;
    struct comparison comparison;
    struct confirmation confirmation;
    enum took_hold took_hold;
    struct measured sign_a, sign_b; /* the quantity that shows it, medians */
    struct interval extent;         /* how much of it; unknown: it is no matter of degree */
    double elapsed_s;
};

/*
 * What was measured before an error or Ctrl-C is judged as well, if a block was complete. Errors: as
 * experiment_run_blocks; ERROR_INTERRUPTED before the first block was. Owner: the caller (confirm_pair_done), either
 * way.
 */
MUST_CHECK bool confirm_pair_run(struct confirm_pair *pair, const struct confirm_pair_request *request,
                                 struct error *err);
void confirm_pair_done(struct confirm_pair *pair);
/* "decided", "the time was up", … */
const char *confirm_pair_stopped(const struct confirm_pair *pair);

#endif
