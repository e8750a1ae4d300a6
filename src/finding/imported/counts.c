/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What imported counts say: an event can't cost more than its vendor says it does.
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include "analyse/profile/host_profile.h"

#include <math.h>
#include <string.h>

/* ---- counts ---- */

/*
 * Costs as documented by the vendors: what one event takes of the cycles at most, and at least where something always
 * does. A wrong guess refills the pipeline, 10 cycles on any x86 core since 2008; a cycle in which a page walk is under
 * way is one; a clock that is lowered loses at most that share of its cycles; a load from another node, on a machine
 * that isn't overloaded, takes 250 ns at most, which are 1000 cycles of 4 GHz, and a line
 * that another core of the same processor has changed 100 ns.
 */
static const struct {
    const char *id, *event;
    double cycles_least, cycles_most;
} by_count[] = {
    {"branch-mispredicts", "branch-misses", 10, 25},
    {"avx512-licence", "core_power.lvl2_turbo_license", 0, 0.25},
    {"avx512-licence", "core_power.lvl1_turbo_license", 0, 0.15},
    {"machine-clears", "machine_clears.count", 0, 100},
    {"4k-aliasing", "ld_blocks_partial.address_alias", 0, 7},
    {"store-forwarding", "ld_blocks.store_forward", 0, 20},
    {"denormals", "assists.fp", 0, 200},
    {"denormals", "fp_assist.any", 0, 200},
    {"small-pages", "dtlb_load_misses.walk_active", 1, 1},
    {"small-pages", "dtlb_load_misses.walk_duration", 1, 1},
    {"numa-remote", "mem_load_l3_miss_retired.remote_dram", 0, 1000},
    {"numa-remote", "mem_load_l3_miss_retired.remote_hitm", 0, 1000},
    {"numa-remote", "mem_load_l3_miss_retired.remote_fwd", 0, 1000},
    {"contended-lines", "mem_load_l3_hit_retired.xsnp_hitm", 0, 400},
    {"contended-lines", "mem_load_l3_miss_retired.remote_hitm", 0, 1000},
    {"divider", "arith.divider_active", 1, 1},
    {"divider", "arith.div_active", 1, 1},
};

struct costing {
    struct interval share; /* of the cycles */
    const char *event, *file;
};

/* Of its cycles what such events cost; false: none was counted. */
static bool costing_of(const struct imported_arm *arm, const char *id, struct costing *ret)
{
    struct measured cycles = imported_arm_count(arm, "cycles");
    double least = 0, most = 0;
    const char *event = NULL;
    for (size_t at = 0; at < array_count(by_count); at++) {
        struct measured ratio = measured_ratio(imported_arm_count(arm, by_count[at].event), cycles);
        if (strcmp(by_count[at].id, id) != 0 || !ratio.known)
            continue;
        event = by_count[at].event;
        least += ratio.value * by_count[at].cycles_least;
        most += ratio.value * by_count[at].cycles_most;
    }
    if (event)
        *ret = (struct costing){interval_clamped(interval_of(least, (least + most) / 2, most), 0, 1), event,
                                arm->table->file};
    return event;
}

/* Runs that differ by little are imported for what they differ by: a cost that all of them have isn't that. */
static bool is_alike(const struct results *results, const struct imported_arm *arms, size_t count, const char *id)
{
    static const double LITTLE = 0.1;
    struct measured gap = imported_gap_of(results->imported);
    double least = 0, most = 0;
    size_t counted = 0;
    for (size_t at = 0; at < count; at++) {
        struct measured cycles = imported_arm_count(&arms[at], "cycles");
        struct costing own;
        if (!arms[at].elapsed_s.known || !costing_of(&arms[at], id, &own))
            continue;
        double cost = own.share.high * cycles.value; /* in cycles, which both runs have in common */
        least = counted && least < cost ? least : cost;
        most = cost > most ? cost : most;
        counted++;
    }
    struct measured cycles = count ? imported_arm_count(&arms[0], "cycles") : not_measured("");
    return gap.known && gap.value < LITTLE && counted > 1 && cycles.known &&
           most - least < results->effect * cycles.value;
}

/* What the slower of two runs with as many instructions takes longer, in cycles; 0: it isn't that. */
static double more_cycles_of(const struct imported_arm *slow, const struct imported_arm *fast)
{
    static const double AS_MANY = 0.05;
    struct measured cycles = imported_arm_count(slow, "cycles"), fewer = imported_arm_count(fast, "cycles"),
                    work = imported_arm_count(slow, "instructions"), other = imported_arm_count(fast, "instructions");
    if (!cycles.known || !fewer.known || !work.known || !other.known || !(fewer.value < cycles.value) ||
        fabs(work.value - other.value) > AS_MANY * work.value)
        return 0;
    return cycles.value - fewer.value;
}

/* Of two runs with as many instructions what the slower one has many more of. */
struct surplus {
    const char *event, *file;
    double count;
    struct interval share; /* of the slower one's cycles: what the faster one doesn't take */
};

static bool surplus_of(const struct imported_arm *slow, const struct imported_arm *fast, const char *id,
                       struct surplus *ret)
{
    static const double MANY = 10, PART_LEAST = 0.5;
    double more_cycles = more_cycles_of(slow, fast), cycles = imported_arm_count(slow, "cycles").value;
    for (size_t at = 0; more_cycles > 0 && at < array_count(by_count); at++) {
        struct measured many = imported_arm_count(slow, by_count[at].event),
                        few = imported_arm_count(fast, by_count[at].event);
        if (strcmp(by_count[at].id, id) != 0 || !many.known || !few.known || many.value < MANY * few.value ||
            (many.value - few.value) * by_count[at].cycles_most < PART_LEAST * more_cycles)
            continue;
        double most = fmin(more_cycles, (many.value - few.value) * by_count[at].cycles_most) / cycles;
        *ret = (struct surplus){by_count[at].event, slow->table->file, many.value - few.value, interval_exactly(most)};
        return true;
    }
    return false;
}

static bool surplus_find(const struct imported_arm *arms, size_t count, const char *id, struct surplus *ret)
{
    return count == 2 && (surplus_of(&arms[0], &arms[1], id, ret) || surplus_of(&arms[1], &arms[0], id, ret));
}

/* How much of what the slower of two runs takes longer its additional events explain, where each surely costs. */
static bool growth_say(struct finding *finding, const struct imported_arm *slow, const struct imported_arm *fast)
{
    double more_cycles = more_cycles_of(slow, fast);
    for (size_t at = 0; more_cycles > 0 && at < array_count(by_count); at++) {
        struct measured many = imported_arm_count(slow, by_count[at].event),
                        few = imported_arm_count(fast, by_count[at].event);
        double more = many.known && few.known ? many.value - few.value : 0;
        struct interval part = interval_clamped(interval_of(more * by_count[at].cycles_least / more_cycles,
                                                            more * by_count[at].cycles_least / more_cycles,
                                                            more * by_count[at].cycles_most / more_cycles),
                                                0, 1);
        if (strcmp(by_count[at].id, finding->hypothesis->id) != 0 || !(part.low > 0))
            continue;
        imported_say(finding,
                     arena_printf(finding->arena,
                                  "of what the slower of two runs with as many instructions takes longer, what %.15g "
                                  "more %s cost",
                                  more, by_count[at].event),
                     part, slow->table->file);
        return true;
    }
    return false;
}

static void advise(struct finding *finding)
{
    const char *confirm = wording_find(finding->hypothesis->id, "confirm");
    if (finding->verdict != VERDICT_SUPPORTED)
        return;
    imported_advise(finding);
    if (confirm && !strchr(confirm, '{'))
        finding_set(finding, confirm, "confirm", NO_VALUES);
}

bool imported_count_test(const struct results *results, struct finding *finding)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(results->imported, arms);
    struct costing most = {.event = NULL}, own;
    for (size_t at = 0; at < count; at++)
        if (costing_of(&arms[at], finding->hypothesis->id, &own) && (!most.event || own.share.high > most.share.high))
            most = own;
    if (!most.event)
        return false;
    struct interval share = most.share.low > 0 ? most.share : interval_exactly(most.share.high);
    if (most.share.low > 0)
        finding_decide_fact(finding, most.share, results->effect);
    else
        finding_decide_bound(finding, most.share.high, results->effect);
    bool alike = finding->verdict != VERDICT_RULED_OUT && is_alike(results, arms, count, finding->hypothesis->id);
    finding->verdict = alike ? VERDICT_UNDECIDED : finding->verdict;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    struct surplus surplus;
    if (finding->verdict == VERDICT_UNDECIDED && !(most.share.low > 0) &&
        surplus_find(arms, count, finding->hypothesis->id, &surplus) && surplus.share.low >= results->effect) {
        finding_decide_fact(finding, surplus.share, results->effect);
        imported_say(finding,
                     arena_printf(finding->arena,
                                  "what the slower of two runs with as many instructions takes longer, beside %.15g "
                                  "more %s,",
                                  surplus.count, surplus.event),
                     surplus.share, surplus.file);
        imported_hot_add(results, finding, surplus.share.high);
        advise(finding);
        return true;
    }
    const char *metric = arena_printf(finding->arena, "what %s %s of the counted cycles", most.event,
                                      most.share.low > 0 ? "cost" : "can cost");
    imported_say(finding, metric, share, most.file);
    if (count == 2 && finding->verdict == VERDICT_SUPPORTED && !growth_say(finding, &arms[0], &arms[1]))
        growth_say(finding, &arms[1], &arms[0]);
    if (alike)
        finding_set(finding, reason, "imported-alike", VALUE_TEXT("metric", metric), VALUE_SHARE("share", share),
                    VALUE_TEXT("file", most.file), VALUE_TEXT("origin", IMPORTED_WORDS));
    if (finding->verdict == VERDICT_SUPPORTED)
        imported_hot_add(results, finding, most.share.high);
    advise(finding);
    return true;
}

/* ---- what the kernel or a runtime did, by a profile ---- */

/*
 * Functions of the kernel, or of a collector, whose time is the cause's. Those that do the work add up; of those that
 * call it the largest counts, since a report with call chains gives each what it called.
 */
static const struct {
    const char *id, *prefix;
    bool is_work;
} by_function[] = {
    {"page-faults", "clear_page", true},
    {"page-faults", "clear_huge_page", true},
    {"page-faults", "clear_subpage", true},
    {"page-faults", "folio_zero", true},
    {"page-faults", "asm_exc_page_fault", false},
    {"page-faults", "exc_page_fault", false},
    {"page-faults", "do_user_addr_fault", false},
    {"page-faults", "handle_mm_fault", false},
    {"page-faults", "__handle_mm_fault", false},
    {"page-faults", "do_page_fault", false},
    {"garbage-collection", "runtime.scanobject", true},
    {"garbage-collection", "runtime.scanblock", true},
    {"garbage-collection", "runtime.greyobject", true},
    {"garbage-collection", "runtime.findObject", true},
    {"garbage-collection", "runtime.markroot", false},
    {"garbage-collection", "runtime.gcDrain", false},
    {"garbage-collection", "runtime.gcBgMarkWorker", false},
    {"garbage-collection", "G1ParScanThreadState::", true},
    {"garbage-collection", "G1CMTask::", true},
    {"garbage-collection", "PSPromotionManager::", true},
    {"garbage-collection", "ZMark::", true},
    {"garbage-collection", "v8::internal::MarkCompactCollector::", false},
    {"garbage-collection", "v8::internal::Scavenger", true},
    {"garbage-collection", "gc_collect_main", false},
    {"garbage-collection", "GC_mark", true},
    {"interrupts", "asm_common_interrupt", false},
    {"interrupts", "common_interrupt", false},
    {"interrupts", "handle_softirqs", false},
    {"interrupts", "__do_softirq", false},
    {"interrupts", "net_rx_action", false},
    {"kernel-locks", "native_queued_spin_lock_slowpath", true},
    {"kernel-locks", "queued_spin_lock_slowpath", true},
    {"kernel-locks", "__pv_queued_spin_lock_slowpath", true},
    {"kernel-locks", "rwsem_spin_on_owner", true},
    {"kernel-locks", "mutex_spin_on_owner", true},
    {"kernel-locks", "osq_lock", true},
};

static bool is_of_time(const char *event)
{
    return !event[0] || strstr(event, "cycles") || strstr(event, "clock");
}

struct function_share {
    double work, caller; /* percent */
    const char *name;
    double most; /* of one function */
};

/* A profile of a host has other programs in its kernel. */
static bool function_share_of(const struct imported_table *table, const char *id, struct function_share *ret)
{
    *ret = (struct function_share){.name = NULL};
    if (strcmp(table->kind, "perf report") != 0 || !is_of_time(table->event))
        return false;
    for (size_t row = 0; row < table->count; row++) {
        const struct imported_row *here = &table->rows[row];
        if (host_symbol_find(here->name))
            return false;
        for (size_t at = 0; at < array_count(by_function); at++) {
            if (strcmp(by_function[at].id, id) != 0 ||
                strncmp(here->name, by_function[at].prefix, strlen(by_function[at].prefix)) != 0)
                continue;
            ret->work += by_function[at].is_work ? here->number : 0;
            ret->caller = !by_function[at].is_work && here->number > ret->caller ? here->number : ret->caller;
            ret->name = here->number > ret->most ? here->name : ret->name;
            ret->most = here->number > ret->most ? here->number : ret->most;
            break;
        }
    }
    return ret->name;
}

bool imported_report_test(const struct results *results, struct finding *finding)
{
    struct function_share found;
    for (size_t at = 0; at < results->imported->count; at++) {
        const struct imported_table *table = &results->imported->tables[at];
        double share = function_share_of(table, finding->hypothesis->id, &found)
                           ? (found.work > found.caller ? found.work : found.caller) / 100
                           : 0;
        if (share < results->effect || share > 1) /* rows that were left out may hold more: this never rules it out */
            continue;
        finding_decide_fact(finding, interval_exactly(share), results->effect);
        finding->is_own_doing = true;
        finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
        imported_say(finding,
                     arena_printf(finding->arena, "the share of samples in functions for it, %s first,",
                                  found.name),
                     interval_exactly(share), table->file);
        advise(finding);
        return true;
    }
    return false;
}
