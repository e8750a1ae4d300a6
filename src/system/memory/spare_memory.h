/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much memory may be taken for a moment without anybody being killed for it?
 *
 * What the machine has available (/proc/meminfo), or what the control groups of this process leave below their limits,
 * whichever is less: in a pod the limit is what counts, and the program beside us shares it.
 */
#ifndef PLUMB_SYSTEM_MEMORY_SPARE_MEMORY_H
#define PLUMB_SYSTEM_MEMORY_SPARE_MEMORY_H

#include "system/sysroot.h"

#include <stdint.h>

#define SPARE_MEMORY_UNKNOWN UINT64_MAX

/* SPARE_MEMORY_UNKNOWN: nothing tells, as in an empty chroot. */
uint64_t spare_memory_bytes(const struct sysroot *root);

#endif
