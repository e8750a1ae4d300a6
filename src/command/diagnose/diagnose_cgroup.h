/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whom does a named control group mean where it isn't one of perf_event's?
 *
 * Version 1 has a hierarchy for each controller; perf_event can be told of groups of its own (or of version 2) only. A
 * group of another one, named absolutely (/sys/fs/cgroup/cpu/service), stands for the processes that are in it now.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CGROUP_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CGROUP_H

#include "base/arena.h"
#include "source/live/target.h"

/* Puts the processes in the group's place where that is needed. Errors: no such group, or nobody is in it. */
MUST_CHECK bool cgroup_members_take(struct target_request *target, const struct sysroot *root, struct arena *arena,
                                    struct error *err);

#endif
