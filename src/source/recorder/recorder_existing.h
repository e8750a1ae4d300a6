/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was there before recording began, as the records the kernel would have written: the kernel's and its
 * modules' code, BPF programs, processes with their threads, mappings and namespaces, cgroups.
 *
 * They have time 0 and id 0, which readers take as "before everything".
 * Does not support: guests' kernels.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_EXISTING_H
#define PLUMB_SOURCE_RECORDER_RECORDER_EXISTING_H

#include "base/text.h"
#include "source/live/target.h"
#include "system/kernel.h"
#include "system/sysroot.h"

#include <stdbool.h>

/* Bytes behind every record that isn't a sample: thread, time, CPU, identifier. */
#define RECORDER_TRAILER_BYTES 32

struct recorder_existing_request {
    const struct target *target;
    bool kernel_code;   /* some event samples the kernel */
    bool data_mappings; /* those that aren't executable as well */
    bool cgroups, bpf_programs;
    bool build_ids; /* the kernel's own mmap records carry them: ours as well */
};

/* Append the records to out. What can't be read (a process that just ended) is left out. */
void recorder_existing_add(struct text *out, const struct recorder_existing_request *request,
                           const struct kernel *kernel, const struct sysroot *root);

#endif
