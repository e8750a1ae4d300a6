/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures one run by everything that can be had at once: the child's own accounts, software and hardware counters, page
 * sizes while it ran, CPU time stolen from the machine, and the clock just before.
 *
 * Quantities are the same in every run; one that this machine lacks is "not measured" with the reason.
 * Page sizes come from a look at smaps_rollup now and then (after 0.1 s, then each time as late again): a process that is gone
 * before the first look has none.
 */
#ifndef PLUMB_EXPERIMENT_MEASURING_RUNNER_H
#define PLUMB_EXPERIMENT_MEASURING_RUNNER_H

#include "experiment/experiment.h"
#include "system/kernel.h"
#include "system/sysroot.h"

enum {
    MEASURING_QUANTITY_COUNT = CHILD_QUANTITY_COUNT + 12
};
/* child_quantities first. */
extern const struct run_quantity measuring_quantities[MEASURING_QUANTITY_COUNT];

struct measuring_setup {
    const struct kernel *kernel;
    const struct sysroot *root;
    const char *prepare;                /* shell command before each run, not measured; NULL: none */
    struct measured (*clock_hertz)(void); /* NULL: not measured */
};

struct measuring_runner;

/* Owner: the caller (measuring_runner_free). */
struct measuring_runner *measuring_runner_new(const struct measuring_setup *setup);
void measuring_runner_free(struct measuring_runner *runner);
struct experiment_runner measuring_runner_interface(struct measuring_runner *runner);

#endif
