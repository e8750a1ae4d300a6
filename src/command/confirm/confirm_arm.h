/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is B of an experiment: its command, what is added to its environment, and its settings? */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_ARM_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_ARM_H

#include "command/confirm/confirm_experiments.h"

/* Errors: a setting that can't be made here. Owner: arena. */
MUST_CHECK bool confirm_arm_make(const struct confirm_experiment *experiment, const struct confirm_place *place,
                                 struct experiment_arm *ret_arm, struct arena *arena, struct error *err);

/* The path of another allocator's library that is installed; NULL: none is. Owner: arena. */
const char *confirm_allocator(const struct confirm_place *place, struct arena *arena);
/* CPUs of the first memory node. Returns false where that can't be read. Owner of *ret_cpus: the caller, by free(). */
MUST_CHECK bool confirm_node_cpus(const struct sysroot *root, int **ret_cpus, size_t *ret_count);

#endif
