/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/placement.h"

#include "base/vec.h"
#include "system/key_value.h"

void memory_placement_read(struct memory_placement *placement, const struct sysroot *root)
{
    *placement = (struct memory_placement){0};
    const struct key_fact meminfo[] = {
        {"MemTotal", &placement->total_kib},
        {"MemAvailable", &placement->available_kib},
        {"SwapTotal", &placement->swap_total_kib},
        {"SwapFree", &placement->swap_free_kib},
    };
    const struct key_fact vmstat[] = {
        {"numa_hint_faults", &placement->hint_faults}, {"numa_pages_migrated", &placement->pages_migrated},
        {"numa_miss", &placement->numa_miss},          {"pswpin", &placement->swapped_in},
        {"pswpout", &placement->swapped_out},
    };
    key_facts_read(meminfo, array_count(meminfo), root, "/proc/meminfo");
    key_facts_read(vmstat, array_count(vmstat), root, "/proc/vmstat");
    fact_number_read(&placement->numa_balancing, root, "/proc/sys/kernel/numa_balancing");
    fact_number_read(&placement->zone_reclaim_mode, root, "/proc/sys/vm/zone_reclaim_mode");
    fact_number_read(&placement->swappiness, root, "/proc/sys/vm/swappiness");
}
