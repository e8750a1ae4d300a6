/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory is there, does the kernel move pages between nodes, does it swap? */
#ifndef PLUMB_SYSTEM_MEMORY_PLACEMENT_H
#define PLUMB_SYSTEM_MEMORY_PLACEMENT_H

#include "system/fact.h"

struct memory_placement {
    struct fact_number total_kib, available_kib;
    struct fact_number numa_balancing;       /* 0 off, 1 normal, 2 tiering, 3 both; absent: not in this kernel */
    struct fact_number zone_reclaim_mode, swappiness;
    struct fact_number hint_faults, pages_migrated, numa_miss; /* since boot */
    struct fact_number swap_total_kib, swap_free_kib, swapped_in, swapped_out; /* pages since boot */
};

void memory_placement_read(struct memory_placement *placement, const struct sysroot *root);

#endif
