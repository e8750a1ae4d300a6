/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that system/ reads from this machine, written as a sysroot that --sysroot and the tests can read.
 *
 * Left out on purpose: environments, command lines of processes, the host's name, serial numbers, files that processes
 * map, words of the kernel's command line that system/ does not use. Kept: names of threads of virtual machine monitors
 * ("CPU 3/KVM"), the names of this process's control groups. What no file holds goes below /plumb: cpuid, architecture,
 * and what the caller adds.
 */
#ifndef PLUMB_SYSTEM_SNAPSHOT_SNAPSHOT_H
#define PLUMB_SYSTEM_SNAPSHOT_SNAPSHOT_H

#include "system/machine.h"
#include "system/snapshot/archive.h"

/* Files that can't be read are left out: the reader will say so. Errors: writing. */
MUST_CHECK bool snapshot_write(struct archive *archive, const struct sysroot *root, const struct machine *machine,
                               struct error *err);

#endif
