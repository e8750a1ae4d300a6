/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/topdown_rows.h"

#include "base/vec.h"

#include <string.h>

/*
 * Refetching behind a wrong guess costs in another class than the guess. Where a table counts a cause below another
 * class than its name says, that is the class: page walks of loads are a part of tma_l1_bound, of stores of
 * tma_store_bound. But a walk beside another load's miss counts as that miss, so that any class of waiting for memory
 * may hold it; not tma_mem_bandwidth: a walk doesn't put that many lines on their way. Whatever is decoded anew
 * (tma_mite) wasn't in the cache of decoded instructions; that decoding itself is slow, single decoders and
 * length-changing prefixes tell.
 */
/* The front end waits for these without a wrong guess. */
#define BESIDE_GUESSES {"tma_icache_misses", "tma_itlb_misses"}

static const struct topdown_row rows[] = {
    {"branch-mispredicts", {"tma_branch_mispredicts", "tma_branch_resteers"}, NULL, true, .mixes_units = true},
    {"branch-mispredicts", {"tma_branch_mispredicts"}, "tma_bad_speculation", true, .is_part = true},
    {"branch-mispredicts", {"tma_branch_mispredicts", "tma_fetch_latency"}, NULL, false},
    {"branch-mispredicts", {"bad_speculation_mispredicts"}, NULL, true},
    {"branch-mispredicts",
     {"tma_bad_speculation", "tma_fetch_latency"},
     NULL,
     false,
     .others = BESIDE_GUESSES,
     .sibling = "tma_machine_clears"},
    {"branch-mispredicts",
     {"tma_bad_speculation", "tma_frontend_bound"},
     NULL,
     false,
     .others = BESIDE_GUESSES,
     .sibling = "tma_machine_clears"},
    {"machine-clears", {"tma_machine_clears"}, NULL, true},
    {"machine-clears", {"bad_speculation_pipeline_restarts"}, NULL, true},
    {"machine-clears", {"tma_bad_speculation"}, NULL, false, .sibling = "tma_branch_mispredicts"},
    {"front-end", {"tma_icache_misses", "tma_itlb_misses"}, "tma_frontend_bound", true},
    {"front-end", {"tma_icache_misses"}, "tma_frontend_bound", true, .is_part = true},
    {"front-end", {"tma_itlb_misses"}, "tma_frontend_bound", true, .is_part = true},
    {"front-end", {"frontend_memory"}, NULL, true},
    {"front-end", {"tma_fetch_latency"}, "tma_frontend_bound", false},
    {"front-end", {"frontend_bound_latency"}, NULL, false},
    {"front-end", {"tma_frontend_bound"}, NULL, false, .sibling = "tma_fetch_bandwidth"},
    {"uop-cache", {"tma_mite", "tma_dsb_switches"}, "tma_frontend_bound", true},
    {"uop-cache", {"tma_mite"}, "tma_frontend_bound", true, .is_part = true},
    {"uop-cache", {"tma_fetch_bandwidth", "tma_dsb_switches"}, "tma_frontend_bound", false},
    {"uop-cache", {"frontend_bound_bandwidth"}, NULL, false},
    {"uop-cache", {"tma_frontend_bound"}, NULL, false},
    {"decoding", {"tma_decoder0_alone", "tma_lcp"}, "tma_frontend_bound", true},
    {"decoding", {"tma_decoder0_alone"}, "tma_frontend_bound", true, .is_part = true},
    {"decoding", {"tma_lcp"}, "tma_frontend_bound", true, .is_part = true},
    {"decoding", {"tma_mite", "tma_lcp"}, "tma_frontend_bound", false},
    {"decoding", {"tma_fetch_bandwidth"}, "tma_frontend_bound", false},
    {"decoding", {"frontend_bound_bandwidth"}, NULL, false},
    {"decoding", {"tma_frontend_bound"}, NULL, false},
    {"memory-bandwidth", {"tma_mem_bandwidth"}, "tma_dram_bound", true},
    {"memory-bandwidth", {"tma_dram_bound", "tma_store_bound"}, "tma_memory_bound", false},
    {"memory-bandwidth", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"memory-bandwidth", {"backend_bound_memory"}, "backend_bound", false},
    {"memory-bandwidth", {"backend_memory"}, "backend_bound", false},
    {"memory-bandwidth", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"dram-latency", {"tma_mem_latency"}, "tma_dram_bound", true},
    {"dram-latency", {"tma_dram_bound"}, "tma_memory_bound", false},
    {"dram-latency", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"dram-latency", {"backend_bound_memory"}, "backend_bound", false},
    {"dram-latency", {"backend_memory"}, "backend_bound", false},
    {"dram-latency", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"l2-l3-latency", {"tma_l2_bound", "tma_l3_bound"}, "tma_memory_bound", true},
    {"l2-l3-latency", {"tma_l3_bound"}, "tma_memory_bound", true, .is_part = true},
    {"l2-l3-latency", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"l2-l3-latency", {"backend_bound_memory"}, "backend_bound", false},
    {"l2-l3-latency", {"backend_memory"}, "backend_bound", false},
    {"l2-l3-latency", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"cache-misses", {"tma_l2_bound", "tma_l3_bound", "tma_mem_latency"}, "tma_memory_bound", false},
    {"cache-misses", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"cache-misses", {"backend_bound_memory"}, "backend_bound", false},
    {"cache-misses", {"backend_memory"}, "backend_bound", false},
    {"cache-misses", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"extra-trips", {"tma_mem_bandwidth"}, "tma_dram_bound", false},
    {"extra-trips", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"extra-trips", {"backend_bound_memory"}, "backend_bound", false},
    {"extra-trips", {"backend_memory"}, "backend_bound", false},
    {"extra-trips", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"stores", {"tma_store_bound"}, "tma_memory_bound", true},
    {"stores", {"backend_memory_store"}, "backend_memory", true},
    {"stores", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"stores", {"backend_memory"}, "backend_bound", false},
    {"stores", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"small-pages", {"tma_dtlb_load", "tma_dtlb_store"}, "tma_memory_bound", true},
    {"small-pages", {"tma_dtlb_load"}, "tma_memory_bound", true, .is_part = true},
    {"small-pages", {"tma_dtlb_store"}, "tma_memory_bound", true, .is_part = true},
    {"small-pages", {"backend_memory_tlb"}, "backend_memory", true},
    {"small-pages", {"tma_dtlb_load", "tma_store_bound"}, "tma_memory_bound", false},
    {"small-pages",
     {"tma_l1_bound", "tma_l2_bound", "tma_l3_bound", "tma_mem_latency", "tma_store_bound"},
     "tma_memory_bound",
     false},
    {"small-pages", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"small-pages", {"backend_bound_memory"}, "backend_bound", false},
    {"small-pages", {"backend_memory"}, "backend_bound", false},
    {"small-pages", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"4k-aliasing", {"tma_4k_aliasing"}, "tma_l1_bound", true},
    {"4k-aliasing", {"tma_l1_bound"}, "tma_memory_bound", false},
    {"store-forwarding", {"tma_store_fwd_blk"}, "tma_l1_bound", true},
    {"store-forwarding", {"tma_l1_bound"}, "tma_memory_bound", false},
    {"load-chain", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"load-chain", {"backend_bound_memory"}, "backend_bound", false},
    {"load-chain", {"backend_memory"}, "backend_bound", false},
    {"load-chain", {"tma_backend_bound"}, NULL, false, .sibling = "tma_core_bound"},
    {"atomics", {"tma_lock_latency"}, "tma_l1_bound", true},
    {"atomics", {"tma_l1_bound", "tma_store_bound"}, "tma_memory_bound", false},
    {"contended-lines", {"tma_contested_accesses", "tma_data_sharing", "tma_false_sharing"}, "tma_memory_bound", true},
    {"contended-lines", {"tma_contested_accesses"}, "tma_memory_bound", true, .is_part = true},
    {"contended-lines", {"tma_false_sharing"}, "tma_memory_bound", true, .is_part = true},
    {"contended-lines", {"tma_contested_accesses", "tma_data_sharing", "tma_store_bound"}, "tma_memory_bound", false},
    {"contended-lines", {"tma_l3_bound", "tma_store_bound"}, "tma_memory_bound", false},
    {"contended-lines", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"contended-lines", {"backend_bound_memory"}, "backend_bound", false},
    {"contended-lines", {"backend_memory"}, "backend_bound", false},
    {"numa-remote", {"tma_remote_mem", "tma_remote_cache"}, "tma_dram_bound", true},
    {"numa-remote", {"tma_remote_mem"}, "tma_dram_bound", true, .is_part = true},
    {"numa-remote", {"tma_dram_bound", "tma_store_bound"}, "tma_memory_bound", false},
    {"numa-remote", {"tma_memory_bound"}, "tma_backend_bound", false},
    {"numa-remote", {"backend_bound_memory"}, "backend_bound", false},
    {"numa-remote", {"backend_memory"}, "backend_bound", false},
    {"divider", {"tma_divider"}, NULL, true},
    {"divider", {"tma_core_bound"}, "tma_backend_bound", false},
    {"divider", {"backend_bound_cpu"}, "backend_bound", false},
    {"divider", {"backend_core"}, "backend_bound", false},
    {"divider", {"tma_backend_bound"}, NULL, false, .sibling = "tma_memory_bound"},
    {"port-pressure", {"tma_ports_utilized_3m"}, "tma_core_bound", true},
    {"port-pressure", {"tma_ports_utilization"}, "tma_core_bound", false},
    {"port-pressure", {"tma_core_bound"}, "tma_backend_bound", false},
    {"port-pressure", {"backend_bound_cpu"}, "backend_bound", false},
    {"port-pressure", {"backend_core"}, "backend_bound", false},
    {"port-pressure", {"tma_backend_bound"}, NULL, false, .sibling = "tma_memory_bound"},
    {"latency-chain", {"tma_core_bound"}, "tma_backend_bound", false},
    {"latency-chain", {"backend_bound_cpu"}, "backend_bound", false},
    {"latency-chain", {"backend_core"}, "backend_bound", false},
    {"latency-chain", {"tma_backend_bound"}, NULL, false, .sibling = "tma_memory_bound"},
    {"denormals", {"tma_fp_assists"}, NULL, true},
};

const struct topdown_row *topdown_row_at(size_t index)
{
    return index < array_count(rows) ? &rows[index] : NULL;
}

const struct topdown_row *topdown_row_of(const char *id, const struct topdown_row *after)
{
    for (size_t at = after ? (size_t)(after - rows) + 1 : 0; at < array_count(rows); at++)
        if (strcmp(rows[at].id, id) == 0)
            return &rows[at];
    return NULL;
}

const char *topdown_row_names(const struct topdown_row *row, struct arena *arena)
{
    const char *names = row->metrics[0];
    for (size_t at = 1; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++)
        names = arena_printf(arena, "%s with %s", names, row->metrics[at]);
    return names;
}

static bool has_metric(const struct topdown_row *row, const char *metric)
{
    for (size_t at = 0; at < TOPDOWN_ROW_METRICS && row->metrics[at]; at++)
        if (strcmp(row->metrics[at], metric) == 0)
            return true;
    return false;
}

const char *topdown_row_missing(const struct topdown_row *row, struct arena *arena)
{
    const char *missing = NULL;
    for (const struct topdown_row *whole = topdown_row_of(row->id, NULL); row->is_part && whole && !missing;
         whole = topdown_row_of(row->id, whole))
        for (size_t at = 0; at < TOPDOWN_ROW_METRICS && whole->metrics[at]; at++)
            if (whole->is_cause && !whole->is_part && has_metric(whole, row->metrics[0]) &&
                !has_metric(row, whole->metrics[at]))
                missing = missing ? arena_printf(arena, "%s, %s", missing, whole->metrics[at]) : whole->metrics[at];
    return missing;
}
