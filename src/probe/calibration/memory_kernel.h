/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long does a load take, over a working set of this size, and how many bytes a second can be moved?
 *
 * Chains of loads in an order that no prefetcher follows, one load a cache line, on pages that were forbidden or
 * advised to be huge; a region that should be huge and is not answers "not measured".
 * Does not support: 1 GiB pages, NUMA placement.
 */
#ifndef PLUMB_PROBE_CALIBRATION_MEMORY_KERNEL_H
#define PLUMB_PROBE_CALIBRATION_MEMORY_KERNEL_H

#include "base/measured.h"
#include "system/sysroot.h"

#include <stddef.h>

struct memory_region {
    char *bytes; /* aligned to 2 MiB */
    void *mapping;
    size_t mapping_bytes, size_bytes;
    const char *why_not; /* NULL: usable */
};

/* Map and touch. size_bytes is a multiple of 4096. */
void memory_region_init(struct memory_region *region, const struct sysroot *root, size_t size_bytes, bool huge);
void memory_region_done(struct memory_region *region);

/* Lay the chain through the first size_bytes, a power of two. */
void chase_lay(struct memory_region *region, size_t size_bytes);
/* Follow it for about budget_ns of CPU time: nanoseconds a load. */
struct measured chase_ns(const struct memory_region *region, double budget_ns);

/* Bytes a nanosecond that one thread reads, or overwrites. */
struct measured read_bandwidth(const struct memory_region *region);
struct measured write_bandwidth(const struct memory_region *region);
/* All the CPUs this process may use read parts of the region at once; elapsed time. */
struct measured read_bandwidth_all(const struct memory_region *region);

#endif
