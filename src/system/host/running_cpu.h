/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which CPU does a process run just now? */
#ifndef PLUMB_SYSTEM_HOST_RUNNING_CPU_H
#define PLUMB_SYSTEM_HOST_RUNNING_CPU_H

#include "system/sysroot.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * The CPU of one of its threads that run or are ready, in turns: turn 0 the first found, 1 the next, … Only some dozens
 * of its threads are looked at. False: none of them runs, or it is gone.
 */
MUST_CHECK bool process_running_cpu(const struct sysroot *root, pid_t pid, unsigned turn, uint32_t *ret_cpu);

#endif
