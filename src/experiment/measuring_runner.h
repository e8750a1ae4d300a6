/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures one run by everything that can be had at once: the child's own accounts, software and hardware counters and
 * what follows from them, page sizes while it ran, CPU time stolen from the machine, and the clock just before.
 *
 * Quantities are the same in every run; one that this machine lacks is "not measured" with the reason.
 * Page sizes come from a look at smaps_rollup now and then (after 20 ms, then each time as late again), of the process
 * and those it started: one that is gone before the first look has none.
 * Besides, it notes under which settings of the machine each arm's runs were made, warm-ups included: run facts.
 */
#ifndef PLUMB_EXPERIMENT_MEASURING_RUNNER_H
#define PLUMB_EXPERIMENT_MEASURING_RUNNER_H

#include "experiment/experiment.h"
#include "statistics/run_output.h"
#include "system/kernel.h"
#include "system/sysroot.h"

enum {
    MEASURING_QUANTITY_COUNT = CHILD_QUANTITY_COUNT + 19
};
/* child_quantities first. */
extern const struct run_quantity measuring_quantities[MEASURING_QUANTITY_COUNT];

struct measuring_setup {
    const struct kernel *kernel;
    const struct sysroot *root;
    const char *prepare;                /* shell command before each run, not measured; NULL: none */
    struct measured (*clock_hertz)(void); /* NULL: not measured */
    /* what warm-ups print is read; else, as of the other runs, it goes to /dev/null */
    bool reads_warmups;
};

struct measuring_runner;

/* What was found around the runs of an arm. */
struct run_fact {
    const char *arm, *name, *value; /* "A", "thp_enabled", "madvise"; owner: the runner */
    const char *other;              /* what a later run found instead; NULL: all found the same */
    bool is_machine;                /* of the machine, not of the process */
};

/* Owner: the caller (measuring_runner_free). */
struct measuring_runner *measuring_runner_new(const struct measuring_setup *setup);
void measuring_runner_free(struct measuring_runner *runner);
struct experiment_runner measuring_runner_interface(struct measuring_runner *runner);
/* Of all runs so far; returns how many. Valid until the next run. */
size_t measuring_runner_facts(const struct measuring_runner *runner, const struct run_fact **ret_facts);
/* What the warm-ups so far printed. Valid until the next run. */
struct run_outputs measuring_runner_outputs(const struct measuring_runner *runner);

#endif
