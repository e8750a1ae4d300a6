/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages that are touched for the first time: what they cost, and whose they are. */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/system/kernel_time.h"

#include <string.h>

static const double SMALL_PAGE_BYTES = 4096, UNMAPPING_MATTERS = 0.1; /* of the faults' time */

enum touching {
    TOUCHING_UNKNOWN,
    TOUCHED_ONCE, /* what its faults brought is what it held in the end */
    TOUCHED_AGAIN /* they brought several times as much as it ever held: it was given back in between */
};

/*
 * Faults may bring more than a page each (around it, or a huge one), never less: several times what it held is certain.
 */
static enum touching touching_of(const struct activity *activity)
{
    static const double ONCE_MOST = 1.5, AGAIN_LEAST = 2;
    if (!activity || !activity->minor_faults.known || !activity->resident_most_bytes.known ||
        activity->resident_most_bytes.value <= 0)
        return TOUCHING_UNKNOWN;
    double times = activity->minor_faults.value * SMALL_PAGE_BYTES / activity->resident_most_bytes.value;
    return times <= ONCE_MOST ? TOUCHED_ONCE : times >= AGAIN_LEAST ? TOUCHED_AGAIN : TOUCHING_UNKNOWN;
}

static void say_faults(struct finding *finding, const struct activity *activity, enum touching touching)
{
    if (!activity || !activity->minor_faults.known)
        return;
    double count = activity->minor_faults.value;
    finding_evidence(
        finding, WEIGHT_FOR, ORIGIN_COUNTERS, touching == TOUCHING_UNKNOWN ? "counted" : "touched",
        VALUE_COUNT("count", count), VALUE_BYTES("touched", count * SMALL_PAGE_BYTES),
        VALUE_BYTES("resident", activity->resident_most_bytes.known ? activity->resident_most_bytes.value : 0));
}

/*
 * What a program keeps must be cleared once, however few faults bring it: that part returns only with less memory.
 */
static struct interval without_clearing(const struct finding *finding, struct interval clearing)
{
    struct interval share = finding->recoverable;
    double low = share.low * (1 - clearing.high);
    return interval_of(low, (low + share.high) / 2, share.high);
}

/*
 * The dearest of what the probes paid for the first touch of huge pages, where small ones cost less; NULL: they cost
 * less, or nobody tried.
 */
static const struct access_cost *dear_huge_pages(const struct access_costs *costs)
{
    const struct access_cost *dear = NULL;
    for (size_t at = 0; costs && at < costs->count; at++) {
        const struct access_cost *cost = &costs->items[at];
        bool is_dear = cost->ns_touch_huge.known && cost->ns_touch_small.known &&
                       cost->ns_touch_huge.high > cost->ns_touch_small.mid;
        if (is_dear && (!dear || cost->ns_touch_huge.high > dear->ns_touch_huge.high))
            dear = cost;
    }
    return dear;
}

/*
 * How much of what it held: as much as lay in it when its page map was taken, or its size where that is no more than
 * all of it.
 */
static double held_in(const struct stall_group *group, double held_most)
{
    double resident = (double)group->area_resident_bytes, size = (double)group->area_bytes;
    return size <= held_most * 1.1 ? size : resident;
}

/*
 * The mapping that most of what it held lies in, as far as its samples met one: that is what its faults brought. NULL:
 * none is so large.
 */
static const struct stall_group *touched_mapping(const struct results *results)
{
    static const double MOST_OF = 0.5;
    const struct activity *activity = results->activity;
    if (!results->stalls || !activity || !activity->resident_most_bytes.known)
        return NULL;
    double held = activity->resident_most_bytes.value, most = MOST_OF * held;
    const struct stall_group *largest = NULL;
    for (size_t at = 0; at < results->stalls->group_count; at++) {
        const struct stall_group *group = &results->stalls->groups[at];
        if (!group->area_known || held_in(group, held) < most)
            continue;
        most = held_in(group, held);
        largest = group;
    }
    return largest;
}

/* What stands between its memory and huge pages; the keys of their advice, and of what tries that. */
struct huge_remedy {
    const char *advice, *confirm; /* advice NULL: it has them already */
};

static const struct huge_remedy *huge_remedy_for(const struct results *results, const struct stall_group *mapping)
{
    static const struct huge_remedy forbidden = {"advice-huge-forbidden", "confirm-dropped"},
                                    shared = {"advice-huge-shared", "confirm-copy"}, had = {NULL, "confirm-copy"},
                                    off = {"advice-huge-off", "confirm-policy"};
    const char *policy = results->surroundings ? results->surroundings->thp_enabled : "";
    if (mapping && mapping->advised_never)
        return &forbidden;
    if (mapping && mapping->is_shared)
        return &shared;
    if (strcmp(policy, "never") == 0)
        return &off;
    return mapping && (mapping->advised_huge || mapping->huge_hits > mapping->base_hits) ? &had : NULL;
}

/* The key of what tries it. */
static const char *advise_huge_pages(const struct results *results, struct finding *finding)
{
    const struct access_cost *dear = dear_huge_pages(results->costs);
    const struct stall_group *mapping = touched_mapping(results);
    const struct huge_remedy *remedy = huge_remedy_for(results, mapping);
    if (remedy) {
        if (remedy->advice)
            finding_advise(finding, remedy->advice, VALUE_TEXT("area", mapping ? mapping->area : "its memory"));
        return remedy->confirm;
    }
    if (dear)
        finding_advise(finding, "advice-huge-dear", VALUE_SECONDS("huge", interval_scaled(dear->ns_touch_huge, 1e-9)),
                       VALUE_SECONDS("small", interval_exactly(dear->ns_touch_small.mid * 1e-9)));
    else
        finding_advise(finding, "advice-huge", NO_VALUES);
    return "confirm-once";
}

/* Runtimes with a heap of their own, which malloc's settings don't reach: what they have in their place. */
static const struct runtime_heap {
    struct name_pattern of;
    const char *keep, *huge;
} runtime_heaps[] = {
    {{.prefix = "runtime."}, "advice-go", "advice-huge-always"},
    {{.dso = "libjvm"}, "advice-java", "advice-huge-java"},
    {{.dso = "node"}, "advice-javascript", "advice-huge-always"},
    {{.dso = "libnode"}, "advice-javascript", "advice-huge-always"},
    {{.dso = "libcoreclr"}, "advice-dotnet", "advice-huge-always"},
    {{.dso = "php"}, "advice-php", "advice-huge-php"},
    {{.dso = "libpolyml"}, "advice-poly", "advice-huge-always"},
    {{.dso = "mono"}, "advice-mono", "advice-huge-always"},
    {{.dso = "mono-sgen"}, "advice-mono", "advice-huge-always"},
};

/* NULL: what runs is no such runtime. */
static const struct runtime_heap *runtime_heap_of(const struct results *results)
{
    for (size_t at = 0; at < array_count(runtime_heaps); at++)
        if (runs_runtime(results, &runtime_heaps[at].of))
            return &runtime_heaps[at];
    return NULL;
}

static void advise_on_runtime_heap(const struct results *results, struct finding *finding,
                                   const struct runtime_heap *heap)
{
    finding_readvise(finding, heap->keep, NO_VALUES);
    if (!dear_huge_pages(results->costs))
        finding_advise(finding, heap->huge, NO_VALUES);
    finding_set(finding, confirm, "confirm-copy", NO_VALUES);
}

static bool has_entry(const struct kernel_time *kernel, const char *name)
{
    for (size_t at = 0; at < kernel->entry_count; at++)
        if (strcmp(kernel->entries[at].name, name) == 0)
            return kernel->entries[at].samples > 0;
    return false;
}

static void page_faults_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    /* Of short-lived processes they are a part of being started; they could be work all the same. */
    if (!kernel_time_test_with(results, finding, (double)kernel->fault_samples, (double)kernel->short_fault_samples))
        return;
    double faults = (double)kernel->fault_samples;
    enum touching touching = touching_of(results->activity);
    bool unmaps = false; /* in its own right, or malloc does it for large blocks */
    for (size_t at = 0; at < kernel->entry_count; at++)
        if (strcmp(kernel->entries[at].name, "munmap") == 0) {
            bool matters = (double)kernel->entries[at].samples >= UNMAPPING_MATTERS * faults;
            unmaps = matters;
            /* huge pages bring much at a fault */
            touching = matters && touching == TOUCHED_ONCE ? TOUCHING_UNKNOWN : touching;
        }
    say_faults(finding, results->activity, touching);
    double cleared = (double)kernel->zero_samples < faults ? (double)kernel->zero_samples : faults;
    struct interval clearing = wilson_interval(cleared, faults, faults);
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SAMPLES, "zeroing", VALUE_SHARE("zeroing", clearing));
    if (finding->verdict == VERDICT_SUPPORTED && touching != TOUCHING_UNKNOWN)
        finding_set(finding, headline, touching == TOUCHED_ONCE ? "headline-once" : "headline-again",
                    VALUE_SHARE("share", finding->recoverable));
    if (finding->verdict == VERDICT_SUPPORTED && touching == TOUCHED_ONCE)
        finding->recoverable = without_clearing(finding, clearing);
    if (touching != TOUCHED_ONCE)
        finding_advise(finding, "advice-reuse", NO_VALUES);
    if (unmaps)
        finding_advise(finding, "advice-unmap", NO_VALUES);
    if (touching == TOUCHED_ONCE)
        finding_advise(finding, "advice-less", NO_VALUES);
    const char *confirm = advise_huge_pages(results, finding);
    if (touching == TOUCHED_ONCE)
        finding_advise(finding, "advice-populate", NO_VALUES);
    finding_set(finding, confirm, unmaps ? "confirm-unmap" : touching == TOUCHED_ONCE ? confirm : "confirm", NO_VALUES);
    if (touching != TOUCHED_ONCE && results->command && has_entry(kernel, "brk")) /* which malloc alone calls */
        finding_set(finding, confirm, "confirm-kept", VALUE_TEXT("command", results->command));
    const struct runtime_heap *heap = runtime_heap_of(results);
    if (heap)
        advise_on_runtime_heap(results, finding, heap);
}

const struct hypothesis hypothesis_page_faults = {
    .id = "page-faults",
    .family = "system",
    .title = "page faults and zeroing of new memory",
    .rule = "supported when samples in page faults hold the effect at the lower end; ruled out below it",
    .gain = "that share of the samples; of memory that is touched once and kept, at the lower end without its "
            "clearing, which fewer faults don't spare",
    .overturn = "huge pages, or memory that is kept: the faults and the time must fall",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COSTS) |
            RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_SURROUNDINGS),
    .test = page_faults_test,
};
