/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long does a unit of work take, for a program that works for a given time and prints how much it did?
 *
 * Wraps another runner: the arm's standard output goes to a file, in which the number behind a word ("work 1234",
 * "iterations=1234") is looked for; a quantity "per-work" is added behind the inner runner's: time over that number.
 * A run that prints no such number isn't measured by that quantity.
 */
#ifndef PLUMB_EXPERIMENT_WORK_RUNNER_H
#define PLUMB_EXPERIMENT_WORK_RUNNER_H

#include "base/text.h"
#include "base/vec.h"
#include "experiment/experiment.h"

struct work_runner {
    struct experiment_runner inner;
    const char *word;
    bool by_cpu; /* CPU time of a unit, else wall time */
    /* Filled by init. */
    char *path; /* of the output */
    struct run_quantity *quantities;
};

/* Errors: no file can be made for the output. Owner: the caller (work_runner_done). */
MUST_CHECK bool work_runner_init(struct work_runner *runner, struct error *err);
void work_runner_done(struct work_runner *runner);
struct experiment_runner work_runner_interface(struct work_runner *runner);

/* The last positive number that stands behind the word, with blanks, '=' or ':' between; false when there is none. */
bool work_amount_find(struct view output, const char *word, double *ret_amount);

#endif
