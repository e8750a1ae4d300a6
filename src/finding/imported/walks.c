/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Did page walks of two runs get more, or longer? As many that each take far longer, in a guest, walk through another
 * level below: its host's tables, whose pages are smaller there.
 *
 * Does not support: runs of which none is told to be a guest's.
 */
#include "analyse/imported_pair.h"
#include "base/vec.h"
#include "finding/imported/event_costs.h"
#include "finding/imported/evidence.h"

#include <math.h>
#include <string.h>

struct walks {
    struct imported_pair pair;
    double slow, fast; /* cycles each */
};

/* A walk in the names that Intel's cores have for it. */
static const struct {
    const char *cycles, *count;
} names[] = {{"dtlb_load_misses.walk_active", "dtlb_load_misses.walk_completed"},
             {"dtlb_load_misses.walk_pending", "dtlb_load_misses.walk_completed"},
             {"dtlb_load_misses.walk_duration", "dtlb_load_misses.walk_completed"},
             {"dtlb_load_misses.walk_active", "dtlb_load_misses.miss_causes_a_walk"},
             {"dtlb_load_misses.walk_duration", "dtlb_load_misses.miss_causes_a_walk"}};

/* As many in both runs, that took the slower one many times as long. */
static bool are_longer(const struct imported *imported, struct walks *ret)
{
    static const double AS_MANY = 0.25, FAR_LONGER = 2;
    if (!imported_pair_of(imported, &ret->pair))
        return false;
    for (size_t at = 0; at < array_count(names); at++) {
        struct measured many = imported_arm_count(&ret->pair.slow, names[at].count),
                        few = imported_pair_fast(&ret->pair, names[at].count),
                        slow = measured_ratio(imported_arm_count(&ret->pair.slow, names[at].cycles), many),
                        fast = measured_ratio(imported_pair_fast(&ret->pair, names[at].cycles), few);
        ret->slow = slow.value;
        ret->fast = fast.value;
        if (slow.known && fast.known && fast.value > 0 && fabs(many.value - few.value) <= AS_MANY * few.value &&
            slow.value >= FAR_LONGER * fast.value)
            return true;
    }
    return false;
}

static bool names_guest(const char *text)
{
    static const char *const words[] = {"guest", "virtual machine", " VM", "VM ", "TDX", "SEV-", "trust domain"};
    for (size_t at = 0; at < array_count(words); at++)
        if (strcasestr(text, words[at]))
            return true;
    return false;
}

/* One of them ran in a guest, by what is said or since its exits were imported. */
static bool is_of_guest(const struct results *results)
{
    bool is = false;
    for (size_t at = 0; at < results->imported->count; at++)
        is |=
            results->imported->tables[at].kind == IMPORTED_EXITS || names_guest(results->imported->tables[at].heading);
    for (size_t at = 0; results->statements && at < results->statements->count; at++)
        is |= names_guest(results->statements->items[at].text);
    return is;
}

static void walks_say(struct finding *finding, const struct walks *walks, const char *headline)
{
    struct value values[] = {VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("headline", finding->headline ? finding->headline : ""),
                             VALUE_TEXT("slow", arena_printf(finding->arena, "%.3g", walks->slow)),
                             VALUE_TEXT("fast", arena_printf(finding->arena, "%.3g", walks->fast)),
                             VALUE_TEXT("file", walks->pair.slow.table->file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-walks-longer", values, array_count(values));
    finding_set_add(finding, &finding->headline, headline, values, array_count(values));
}

bool imported_host_pages_test(const struct results *results, struct finding *finding)
{
    struct walks walks;
    if (!are_longer(results->imported, &walks) || !is_of_guest(results))
        return false;
    struct interval excess = costing_excess(&walks.pair, "small-pages");
    if (!excess.known || excess.high < results->effect)
        return false;
    finding_decide_fact(finding, excess, results->effect);
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding->of = OF_CPU_TIME;
    finding->is_own_doing = true;
    walks_say(finding, &walks, "imported-walks-host");
    finding_advise(finding, "told-advice-host", NO_VALUES);
    return true;
}

void imported_walks_add(const struct results *results, struct finding *finding)
{
    struct walks walks;
    bool is_asked =
        finding_is(finding, "small-pages") && finding->verdict == VERDICT_SUPPORTED && finding->gain_unmeasured;
    if (!is_asked || !are_longer(results->imported, &walks) || !is_of_guest(results))
        return;
    walks_say(finding, &walks, "imported-walks-headline");
    finding_readvise(finding, "told-advice-host", NO_VALUES);
    finding_advise(finding, "told-advice-guest", NO_VALUES);
}
