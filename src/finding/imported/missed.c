/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What loads that memory answered took at least, and what each of them would take alone: a core has so many of them
 * under way at once at most, and none comes back sooner than memory can answer.
 *
 * That they took that long says neither that a program waited so long, nor whether they wait one for the other; loads
 * that wait for what a prefetch asked for aren't counted, so that few of them rule nothing out (misses.c).
 */
#include "analyse/imported_pair.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <math.h>
#include <string.h>

/*
 * How many a core has under way: line-fill buffers of Intel's up to Golden Cove (16), of others' 24 (Zen); and of what
 * the first caches' prefetches ask for, too, those of the second cache (48). 0: it counts nearer caches', too.
 */
static const struct {
    const char *event;
    double at_once;
} events[] = {
    {"mem_load_retired.l3_miss", 16},
    {"mem_load_uops_retired.l3_miss", 16},
    {"mem_load_uops_retired.llc_miss", 16},
    {"mem_load_retired.llc_miss", 16},
    {"ls_dmnd_fills_from_sys.dram_io_near", 24},
    {"ls_dmnd_fills_from_sys.dram_io_all", 24},
    {"LLC-load-misses", 24},
    {"longest_lat_cache.miss", 48},
    {"cache-misses", 0},
};

static const double LEAST_S = 50e-9, ALONE_S = 90e-9; /* the fastest memory's answer, and a common one */
static const double SLOW_HZ = 1e9, COMMON_HZ = 3e9;   /* where the clock isn't told */
static const double MOST_CYCLES = 1000;               /* 250 ns at 4 GHz: of another node, or busy memory */

struct missed {
    const char *event, *file;
    double count;
    double least, alone, most; /* of the cycles: all at once, each alone; above 1: some overlap for certain */
};

static bool missed_by(const struct imported_arm *arm, size_t event, struct missed *ret)
{
    struct measured cycles = imported_arm_count(arm, "cycles"), hz = measured_ratio(cycles, imported_arm_cpu_s(arm)),
                    count = imported_arm_count(arm, events[event].event), ratio = measured_ratio(count, cycles);
    if (!ratio.known)
        return false;
    double at_once = events[event].at_once, least_cycles = LEAST_S * (hz.known ? hz.value : SLOW_HZ);
    *ret = (struct missed){.event = events[event].event,
                           .file = arm->table->file,
                           .count = count.value,
                           .least = at_once > 0 ? ratio.value * least_cycles / at_once : 0,
                           .alone = ratio.value * ALONE_S * (hz.known ? hz.value : COMMON_HZ),
                           .most = fmin(ratio.value * MOST_CYCLES, 1)};
    return true;
}

/* By its first such event, of all runs the one that has most of it; false: none was counted. */
static bool missed_find(const struct imported *imported, struct missed *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct missed own;
    *ret = (struct missed){.event = NULL};
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++)
        for (size_t event = 0; event < array_count(events); event++) {
            if (!missed_by(&arms[at], event, &own))
                continue;
            *ret = ret->event && ret->alone >= own.alone ? *ret : own;
            break;
        }
    return ret->event;
}

/* "302 %, so that some overlap": even of the fastest memory's */
static const char *alone_words(const struct missed *missed, struct arena *arena)
{
    return arena_printf(arena, "%.3g %%%s", missed->alone * 100,
                        missed->alone * LEAST_S > ALONE_S ? ", so that some overlap" : "");
}

/* Of two runs that differ it isn't that they have such misses that matters, but how many more. */
static bool is_of_two(const struct results *results)
{
    struct imported_pair pair;
    return imported_pair_of(results->imported, &pair) && pair.gap.value >= results->effect;
}

static const char *least_words(const struct missed *missed, struct arena *arena)
{
    return missed->least > 0
               ? arena_printf(arena, "with as many at once as a core can have they take %.2g %% of the counted cycles",
                              missed->least * 100)
               : "how many of them memory answered isn't told";
}

bool imported_missed_test(const struct results *results, struct finding *finding)
{
    struct missed missed;
    bool is_far = finding_is(finding, "dram-latency");
    if ((!is_far && !finding_is(finding, "cache-misses")) || !missed_find(results->imported, &missed))
        return false;
    bool is_two = is_of_two(results);
    finding->of = OF_CPU_TIME;
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    if (!is_far && !is_two && missed.least >= results->effect) {
        finding_decide_fact(finding, interval_of(missed.least, missed.least, missed.most), results->effect);
        imported_say(finding,
                     arena_printf(finding->arena, "the part of the cycles that %.15g %s take at least", missed.count,
                                  missed.event),
                     interval_exactly(missed.least), missed.file);
        imported_hot_add(results, finding, missed.most);
        imported_advise_all(finding);
        return true;
    }
    struct value values[] = {VALUE_COUNT("count", missed.count),
                             VALUE_TEXT("event", missed.event),
                             VALUE_TEXT("least", least_words(&missed, finding->arena)),
                             VALUE_TEXT("alone", alone_words(&missed, finding->arena)),
                             VALUE_TEXT("file", missed.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_loose = is_two || missed.alone < results->effect;
    finding->pointed = finding->is_loose ? 0 : fmin(missed.alone, 1);
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-missed", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-missed", values, array_count(values));
    finding_advise(finding, "advice-missed", NO_VALUES);
    return true;
}
