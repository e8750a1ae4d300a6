/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs alone (A) and beside processes of ours that use memory bandwidth on the other CPUs (B): is what waits for
 * bandwidth slower there? Behind a self-test: our own stream must be slower, and arithmetic of ours must not.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_HOGS_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_HOGS_H

#include "experiment/experiment.h"
#include "statistics/interval.h"

struct bandwidth_hogs;

struct confirm_hogs {
    struct bandwidth_hogs *hogs;
    struct interval stream; /* how many times slower our own stream is beside them */
    struct experiment_runner inner;
};

/*
 * cpu: where the runs are. Errors: ERROR_UNSUPPORTED with what the self-test showed. Owner: the caller
 * (confirm_hogs_done), either way.
 */
MUST_CHECK bool confirm_hogs_begin(struct confirm_hogs *hogs, int cpu, struct error *err);
void confirm_hogs_done(struct confirm_hogs *hogs);
/* inner's, with hogs while the arm "B" runs. hogs must outlive it. */
struct experiment_runner confirm_hogs_runner(struct confirm_hogs *hogs, struct experiment_runner inner);

#endif
