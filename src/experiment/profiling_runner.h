/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each arm under the recorder: a perf.data file per block and arm, to be read afterwards. */
#ifndef PLUMB_EXPERIMENT_PROFILING_RUNNER_H
#define PLUMB_EXPERIMENT_PROFILING_RUNNER_H

#include "experiment/experiment.h"
#include "system/kernel.h"
#include "system/sysroot.h"

struct profiling_setup {
    const struct kernel *kernel;
    const struct sysroot *root;
    const char *folder;  /* an existing folder that the files go to */
    const char *prepare; /* shell command before each run; NULL: none */
    uint64_t frequency;  /* samples a second of CPU time */
};

/* The setup must outlive the runner; labels of arms are parts of file names. child_quantities. */
struct experiment_runner profiling_runner_interface(const struct profiling_setup *setup);

/* Where the profile of an arm's run in a block is. Owner: the caller (free). */
char *profiling_runner_path(const struct profiling_setup *setup, size_t block, const char *label);

#endif
