/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counts of all last-level misses bound: few of them are no waiting for memory, whatever their share of the
 * references is.
 *
 * Intel's longest_lat_cache.miss, which perf calls cache-misses, has demand reads, reads for ownership and the first
 * caches' prefetches; what goes by that name on AMD's and Arm's is misses of nearer caches, which are more. Demand
 * loads alone (LLC-load-misses, mem_load_retired.l3_miss) bound nothing: a load may wait for a line that a prefetch
 * asked for. Prefetches into the last cache itself aren't counted at all, so that bandwidth stays open.
 */
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <string.h>

static const char *const missing[] = {"longest_lat_cache.miss", "cache-misses"};
static const char *const first_missing[] = {"L1-dcache-load-misses", "l1d.replacement", "mem_load_retired.l1_miss"};

enum { MISS_MOST = 1000, NEAR_MOST = 100 }; /* cycles: 250 ns at 4 GHz; the last cache of a large server */

struct bound {
    double share, near, count; /* shares of the cycles: for misses of the last cache, and of what it answers */
    const char *event, *file;
    bool is_of_near; /* the latter is known */
};

static bool bound_of(const struct imported_arm *arm, struct bound *ret)
{
    struct measured cycles = imported_arm_count(arm, "cycles");
    *ret = (struct bound){.file = arm->table->file};
    for (size_t at = 0; at < array_count(missing) && !ret->event; at++) {
        struct measured share = measured_ratio(imported_arm_count(arm, missing[at]), cycles);
        if (!share.known)
            continue;
        ret->event = missing[at];
        ret->count = imported_arm_count(arm, missing[at]).value;
        ret->share = share.value * MISS_MOST;
    }
    for (size_t at = 0; at < array_count(first_missing) && ret->event && !ret->is_of_near; at++) {
        struct measured share = measured_ratio(imported_arm_count(arm, first_missing[at]), cycles);
        ret->is_of_near = share.known;
        ret->near = share.known ? share.value * NEAR_MOST : 0;
    }
    return ret->event;
}

/* Of all runs with counts the one with the most; false: a run didn't count them. */
static bool bound_find(const struct imported *imported, struct bound *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct bound own;
    *ret = (struct bound){.event = NULL};
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        if (!imported_arm_count(&arms[at], "cycles").known)
            continue;
        if (!bound_of(&arms[at], &own))
            return false;
        if (!ret->event || own.share + own.near > ret->share + ret->near)
            *ret = own;
    }
    return ret->event;
}

bool imported_misses_test(const struct results *results, struct finding *finding)
{
    struct bound bound;
    bool is_far = finding_is(finding, "dram-latency");
    if ((!is_far && !finding_is(finding, "cache-misses")) || !bound_find(results->imported, &bound))
        return false;
    double far = bound.share + (is_far ? 0 : bound.near);
    if (far >= results->effect)
        return false;
    const char *near = !is_far && bound.is_of_near ? ", and those of the first cache, 100 at most," : ",",
               *metric = arena_printf(finding->arena,
                                      "what %.15g %s can cost of the counted cycles, %d cycles each at most%s",
                                      bound.count, bound.event, MISS_MOST, near);
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding_decide_bound(finding, far, results->effect);
    if (is_far || bound.is_of_near) {
        imported_say(finding, metric, interval_exactly(far), bound.file);
        return true;
    }
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    imported_say(finding, metric, interval_exactly(far), bound.file);
    finding_set(finding, reason, "imported-last-misses", VALUE_TEXT("metric", metric),
                VALUE_SHARE("share", interval_exactly(far)), VALUE_TEXT("file", bound.file),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    return true;
}
