/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why can't an experiment be made here, with this case?
 *
 * Each looks at one condition and returns a clause that says what is missing, or NULL: it can be made. Owner: arena, or
 * static.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_WHY_NOT_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_WHY_NOT_H

#include "command/confirm/confirm_experiments.h"

typedef const char *confirm_why_not(const struct confirm_place *place, struct arena *arena);

confirm_why_not confirm_no_huge_malloc;
confirm_why_not confirm_no_huge_policy;
confirm_why_not confirm_no_own_command;
confirm_why_not confirm_no_single_thread;
confirm_why_not confirm_no_threads;
confirm_why_not confirm_no_priority;
confirm_why_not confirm_no_node;
confirm_why_not confirm_no_root_group;
confirm_why_not confirm_no_mask;
confirm_why_not confirm_no_openblas;
confirm_why_not confirm_no_onednn;
confirm_why_not confirm_no_libc_vectors;
confirm_why_not confirm_no_allocator;
confirm_why_not confirm_no_speed;
confirm_why_not confirm_no_bursts;
confirm_why_not confirm_no_hogs;

#endif
