/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Can wrong guesses take the share of its time that was claimed? From bursts of its instructions and a simulated
 * predictor: so many wrong guesses per instruction, each at twice what one costs here, beside instructions at full
 * issue width.
 *
 * That is the most that they can take, so it overturns a claim and confirms none.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_BURSTS_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_BURSTS_H

#include "analyse/probes/probe_results.h"
#include "analyse/runs/confirmation.h"
#include "command/command.h"

struct confirm_bursts_request {
    struct context *context;
    char *const *argv;       /* run once more; NULL: pid */
    pid_t pid;
    struct interval claimed; /* share of its CPU time */
    double seconds;          /* looked at for so long at most; 0: the usual */
    struct measured run_s;   /* how long a run of argv takes: a short one is made several times */
};

struct confirm_bursts {
    struct confirmation confirmation;
    struct comparison comparison; /* of nothing: it names what was measured */
    double elapsed_s;
    const char *found; /* "1.3 to 2.5 wrong guesses per 1000 instructions …" */
};

struct confirm_bursts_look { /* what came of the bursts */
    const struct probe_result *step;
    struct interval claimed;
    double cost_cycles, issue_width; /* of a wrong guess; the machine's. 0: could not be measured */
    bool is_interrupted;             /* by the user: too little is then no error, and shown */
};

/* Errors: ERROR_UNSUPPORTED, too little was seen. Owner: arena. */
MUST_CHECK bool confirm_bursts_judge(struct confirm_bursts *bursts, const struct confirm_bursts_look *look,
                                     struct arena *arena, struct error *err);
/*
 * Errors: it can't be run or watched; ERROR_UNSUPPORTED with the probe's reason, or when too little was seen. Owner:
 * arena.
 */
MUST_CHECK bool confirm_bursts_run(struct confirm_bursts *bursts, const struct confirm_bursts_request *request,
                                   struct arena *arena, struct error *err);

/* How often a command is run for such a look. */
uint64_t confirm_bursts_runs(struct measured run_s, double seconds);
/* The most of its time that wrong guesses can take. Units: cycles a guess, instructions a cycle. */
struct interval wrong_guess_share(struct interval wrong_per_1000, double cost_cycles, double issue_width);

#endif
