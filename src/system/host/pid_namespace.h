/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process's number is to itself: containers count their own from 1. */
#ifndef PLUMB_SYSTEM_HOST_PID_NAMESPACE_H
#define PLUMB_SYSTEM_HOST_PID_NAMESPACE_H

#include "system/sysroot.h"

#include <stdint.h>

/*
 * The pid inside its own pid namespace, the last number of NSpid in /proc/PID/status; pid itself where that can't be
 * read.
 */
uint32_t pid_innermost(const struct sysroot *root, uint32_t pid);

#endif
