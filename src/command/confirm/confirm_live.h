/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment on a process that the case watched and that still runs: a probe of diagnose that changes one thing of
 * it, and its speed before and after. Held against the prediction as a pair of runs is.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_LIVE_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_LIVE_H

#include "command/command.h"
#include "command/confirm/confirm_experiments.h"

struct confirm_live_request {
    struct context *context;
    const struct confirm_experiment *experiment;
    const struct foretold *foretold;
    pid_t pid;
    double seconds; /* watched before the change */
};

struct confirm_live {
    struct comparison comparison; /* of the time that a piece of its work takes; the noise floor is a control's */
    struct confirmation confirmation;
    double elapsed_s;
    const char *verdict, *subject; /* in words, of the probe */
};

/* The one process of the case. Errors: ERROR_NOT_FOUND: it has ended, or the pid is another process now. */
MUST_CHECK bool confirm_live_find(const struct case_command *command, const struct sysroot *root, pid_t *ret_pid,
                                  struct error *err);
/* Errors: the process can't be watched; ERROR_UNSUPPORTED with the probe's reason. Owner: arena. */
MUST_CHECK bool confirm_live_run(struct confirm_live *live, const struct confirm_live_request *request,
                                 struct arena *arena, struct error *err);

#endif
