/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What imported counts say: an event can't cost more than its vendor says it does.
 */
#include "analyse/imported_window.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/event_costs.h"
#include "finding/imported/evidence.h"
#include "finding/imported/remote.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

/* ---- counts ---- */

/* Of three or more runs that differ by little: a cost that all of them have isn't what they differ by. */
static bool is_alike(const struct results *results, struct finding *finding, const struct imported_arm *arms,
                     size_t count)
{
    static const double LITTLE = 0.1;
    struct measured gap = imported_gap_of(results->imported);
    double least = 0, most = 0;
    size_t counted = 0;
    for (size_t at = 0; at < count; at++) {
        struct measured cycles = imported_arm_count(&arms[at], "cycles");
        struct costing own;
        if (!arms[at].elapsed_s.known || !costing_of(&arms[at], finding->hypothesis->id, finding->arena, &own))
            continue;
        double cost = fmin(own.most, 1) * cycles.value; /* in cycles, which both runs have in common */
        least = counted && least < cost ? least : cost;
        most = cost > most ? cost : most;
        counted++;
    }
    struct measured cycles = count ? imported_arm_count(&arms[0], "cycles") : not_measured("");
    return gap.known && gap.value < LITTLE && counted > 1 && cycles.known &&
           most - least < results->effect * cycles.value;
}

/* Where instructions weren't counted, what they are decoded to says how much was done. */
static const char *work_of(const struct imported_pair *pair)
{
    static const char *const events[] = {"instructions", "uops_retired.slots", "uops_retired.retire_slots",
                                         "uops_issued.any"};
    for (size_t at = 0; at < array_count(events); at++)
        if (imported_arm_count(&pair->slow, events[at]).known && imported_arm_count(&pair->fast, events[at]).known)
            return events[at];
    return events[0];
}

/* What the slower of two runs takes longer with as many instructions, or fewer, in cycles; 0: it isn't that. */
static double more_cycles_of(const struct imported_pair *pair)
{
    static const double AS_MANY = 0.05;
    struct measured cycles = imported_arm_count(&pair->slow, "cycles"), fewer = imported_pair_fast(pair, "cycles"),
                    work = imported_arm_count(&pair->slow, work_of(pair)),
                    other = imported_pair_fast(pair, work_of(pair));
    if (!cycles.known || !fewer.known || !work.known || !other.known || !(fewer.value < cycles.value) ||
        work.value - other.value > AS_MANY * work.value)
        return 0;
    return cycles.value - fewer.value;
}

/* "for as many instructions"; or it has no more than the faster one. */
static const char *slower_words(const struct imported_pair *pair, struct arena *arena)
{
    static const double AS_MANY = 0.05;
    double work = imported_arm_count(&pair->slow, work_of(pair)).value,
           other = imported_pair_fast(pair, work_of(pair)).value;
    return arena_printf(arena, "for %s %s", !pair->is_window && other - work > AS_MANY * other ? "no more" : "as many",
                        view_starts(view_of(work_of(pair)), "uops") ? "micro-operations" : "instructions");
}

/* "56.7 billion" */
static const char *many_words(double count, struct arena *arena)
{
    return count >= 1e9   ? arena_printf(arena, "%.3g billion", count / 1e9)
           : count >= 1e6 ? arena_printf(arena, "%.3g million", count / 1e6)
                          : arena_printf(arena, "%.0f", count);
}

/* What the slower run did more: "spent 56.7 billion more cycles in page walks (dtlb_load_misses.walk_active)". */
static const char *did_words(const char *event, double more, struct arena *arena)
{
    static const struct {
        const char *begins, *did, *what;
    } known[] = {
        {"dtlb_load_misses.walk_completed", "had", "page walks for loads"},
        {"dtlb_load_misses.", "spent", "cycles in page walks for loads"},
        {"dtlb_store_misses.", "spent", "cycles in page walks for stores"},
        {"L1-icache", "had", "misses of the instruction cache"},
        {"icache.misses", "had", "misses of the instruction cache"},
        {"icache_64b.iftag_miss", "had", "misses of the instruction cache"},
        {"frontend_retired.l1i_miss", "had", "misses of the instruction cache"},
        {"icache", "spent", "cycles waiting for code to be fetched"},
        {"mem_inst_retired.split_", "had", "accesses across the border of cache lines"},
        {"mem_uops_retired.split_", "had", "accesses across the border of cache lines"},
        {"idq.mite_uops", "had", "micro-operations decoded anew"},
        {"branch-misses", "had", "wrongly guessed branches"},
        {"arith.", "spent", "cycles dividing"},
    };
    const char *many = many_words(more, arena);
    for (size_t at = 0; at < array_count(known); at++)
        if (strncmp(event, known[at].begins, strlen(known[at].begins)) == 0)
            return arena_printf(arena, "%s %s more %s (%s)", known[at].did, many, known[at].what, event);
    return arena_printf(arena, "had %s more %s", many, event);
}

/* "all", "28 to 70 %" */
static const char *part_words(struct interval part, struct arena *arena)
{
    static const double ALL = 0.995;
    scoped_text struct text out = {0};
    struct value value = VALUE_SHARE("", part);
    if (part.low >= ALL)
        return "all";
    value_print(&out, &value);
    return arena_string(arena, text_string(&out));
}

/* Evidence, and the headline of what it supports, by what the slower run did more. */
static void more_say(struct finding *finding, const char *key, const char *headline, const struct imported_pair *pair,
                     const char *did, struct interval part, const char *file)
{
    struct value values[] = {VALUE_TEXT("did", did),
                             VALUE_TEXT("part", part_words(part, finding->arena)),
                             VALUE_TEXT("slower", pair->is_window ? "slower window" : "slower run"),
                             VALUE_TEXT("work", slower_words(pair, finding->arena)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_SHARE("share", part),
                             VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    enum weight weight = finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT;
    finding_evidence_add(finding, weight, ORIGIN_STATEMENT, key, values, array_count(values));
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set_add(finding, &finding->headline, headline, values, array_count(values));
    else
        finding_set_add(finding, &finding->reason, key, values, array_count(values));
}

/* Of two runs with as many instructions what the slower one has many more of. */
struct surplus {
    const char *event, *file;
    double count;
    struct interval share; /* of the slower one's cycles: what the faster one doesn't take */
};

static const double SURPLUS_MANY = 10, SURPLUS_PART = 0.5;

/* Each other run has few of them where it takes fewer cycles, and many where it doesn't; or didn't count them. */
static bool goes_with_cycles(const struct results *results, const struct imported_pair *pair, const char *event)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    double slow = imported_arm_count(&pair->slow, "cycles").value, many = imported_arm_count(&pair->slow, event).value,
           more_cycles = more_cycles_of(pair);
    for (size_t at = 0, count = imported_arms_of(results->imported, arms); at < count; at++) {
        struct measured cycles = imported_arm_count(&arms[at], "cycles"), own = imported_arm_count(&arms[at], event);
        bool is_quick = cycles.value < slow - SURPLUS_PART * more_cycles, has_few = many >= SURPLUS_MANY * own.value;
        if (cycles.known && own.known && is_quick != has_few)
            return false;
    }
    return true;
}

static bool surplus_of(const struct results *results, const struct imported_pair *pair, const char *id,
                       struct surplus *ret)
{
    double more_cycles = more_cycles_of(pair), cycles = imported_arm_count(&pair->slow, "cycles").value;
    const struct event_cost *cost;
    for (size_t at = 0; more_cycles > 0 && (cost = event_cost_at(at)); at++) {
        struct measured many = imported_arm_count(&pair->slow, cost->event),
                        few = imported_pair_fast(pair, cost->event);
        double likely = cost->cycles_likely > 0 ? cost->cycles_likely : cost->cycles_most;
        if (strcmp(cost->id, id) != 0 || !many.known || !few.known || many.value < SURPLUS_MANY * few.value ||
            (many.value - few.value) * likely < SURPLUS_PART * more_cycles ||
            !(pair->is_only || goes_with_cycles(results, pair, cost->event)))
            continue;
        double most = fmin(more_cycles, (many.value - few.value) * cost->cycles_most) / cycles;
        *ret = (struct surplus){cost->event, pair->slow.table->file, many.value - few.value, interval_exactly(most)};
        return true;
    }
    return false;
}

/* How much of what the slower of two runs takes longer its additional events explain, where each surely costs. */
static bool growth_say(struct finding *finding, const struct imported_pair *pair)
{
    double more_cycles = more_cycles_of(pair);
    const struct event_cost *cost;
    for (size_t at = 0; more_cycles > 0 && (cost = event_cost_at(at)); at++) {
        struct measured many = imported_arm_count(&pair->slow, cost->event),
                        few = imported_pair_fast(pair, cost->event);
        double more = many.known && few.known ? many.value - few.value : 0;
        struct interval part = interval_clamped(interval_of(more * cost->cycles_least / more_cycles,
                                                            more * cost->cycles_least / more_cycles,
                                                            more * cost->cycles_most / more_cycles),
                                                0, 1);
        if (strcmp(cost->id, finding->hypothesis->id) != 0 || !(part.low > 0))
            continue;
        more_say(finding, "imported-growth", "imported-growth-headline", pair,
                 did_words(cost->event, more, finding->arena), part, pair->slow.table->file);
        return true;
    }
    return false;
}

void imported_advise_all(struct finding *finding)
{
    const char *confirm = wording_find(finding->hypothesis->id, "confirm");
    if (finding->verdict != VERDICT_SUPPORTED)
        return;
    imported_advise(finding);
    if (confirm && !finding->confirm && !strchr(confirm, '{'))
        finding_set(finding, confirm, "confirm", NO_VALUES);
}

/* "what EVENT cost of the counted cycles"; of a bound how it comes about, and why not all of that can be. */
static const char *metric_of(const struct costing *costing, struct arena *arena)
{
    if (costing->least > 0)
        return arena_printf(arena, "what %s cost of the counted cycles", costing->event);
    static const double MOST_OVERLAP = 2;
    const char *overlap =
        costing->most > 1 ? arena_printf(arena, ": %.2g times the cycles that there were, so that %s of them overlap",
                                         costing->most, costing->most >= MOST_OVERLAP ? "most" : "some")
                          : "";
    if (costing->each <= 1) /* they are cycles themselves */
        return arena_printf(arena, "what %s can cost of the counted cycles", costing->event);
    return arena_printf(arena, "what %s can cost of the counted cycles (%.15g of them, %.15g cycles each at most%s)",
                        costing->event, costing->count, costing->each, overlap);
}

static struct interval costing_share(const struct costing *costing)
{
    double least = fmin(costing->least, 1), most = fmin(costing->most, 1);
    return costing->least > 0 ? interval_of(least, (least + most) / 2, most) : interval_exactly(most);
}

static void leave_alike(struct finding *finding, const struct costing *costing, const char *key)
{
    finding->verdict = VERDICT_UNDECIDED;
    finding->pointed = 0;
    finding_set(finding, reason, key, VALUE_TEXT("metric", metric_of(costing, finding->arena)),
                VALUE_SHARE("share", costing_share(costing)), VALUE_TEXT("file", costing->file),
                VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* By its events and what each costs. */
static void costing_decide(struct finding *finding, const struct costing *costing, double effect)
{
    struct interval share = costing_share(costing);
    if (costing->least > 0)
        finding_decide_fact(finding, share, effect);
    else
        finding_decide_bound(finding, share.high, effect);
    finding->pointed = finding->verdict == VERDICT_UNDECIDED ? share.high : 0;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    imported_say(finding, metric_of(costing, finding->arena), share, costing->file);
}

/* By many times as many events in the slower run, of which nobody knows what each took. */
static bool surplus_decide(const struct results *results, struct finding *finding, const struct imported_pair *pair)
{
    struct surplus surplus;
    if (!surplus_of(results, pair, finding->hypothesis->id, &surplus) || surplus.share.low < results->effect)
        return false;
    finding->evidence_count = 0;
    finding->reason = NULL;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    finding_decide_fact(finding, surplus.share, results->effect);
    more_say(finding, "imported-surplus", "imported-surplus-headline", pair,
             did_words(surplus.event, surplus.count, finding->arena), surplus.share, surplus.file);
    if (strstr(surplus.event, ".split_")) {
        finding_advise(finding, "advice-splits", NO_VALUES);
        finding_set(finding, confirm, "confirm-splits", NO_VALUES);
    }
    return true;
}

static const char *excess_words(const struct costing *costing, struct arena *arena)
{
    return arena_printf(arena, "what %s cost the slower run more than the faster one, of its cycles,", costing->event);
}

/*
 * Two runs are imported for what they differ by: a cost that both have isn't that, and of runs that don't execute the
 * same nobody knows what would have been there anyhow.
 */
static void pair_decide(const struct results *results, struct finding *finding, const struct imported_pair *pair,
                        const struct costing *costing)
{
    struct interval excess = costing_excess(pair, finding->hypothesis->id);
    bool is_other_work = imported_pair_most(pair) == FACTOR_WORK;
    if (!excess.known || finding->verdict == VERDICT_RULED_OUT)
        return;
    if (is_other_work || excess.high < results->effect) {
        finding->headline = NULL;
        leave_alike(finding, costing, excess.high < results->effect ? "imported-alike" : "imported-other-work");
        return;
    }
    if (excess.low > 0) {
        finding->evidence_count = 0;
        finding->headline = finding->reason = NULL;
        finding_decide_fact(finding, excess, results->effect);
        imported_say(finding, excess_words(costing, finding->arena), excess, costing->file);
        if (finding->verdict == VERDICT_SUPPORTED && pair->is_only)
            growth_say(finding, pair);
        return;
    }
    if (surplus_decide(results, finding, pair))
        return;
    finding_decide_bound(finding, excess.high, results->effect);
    finding->headline = NULL;
    finding->pointed = excess.high;
    if (costing->least > 0)
        imported_say(finding, excess_words(costing, finding->arena), excess, costing->file);
}

/* What faults cost is the kernel's: no more than it had, by the largest share that a table tells. */
static void keep_in_kernel(const struct imported *imported, const struct finding *finding, struct costing *costing)
{
    double most = -1;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0;
             row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_SYSTEM; row++)
            if (strcmp(imported->tables[at].rows[row].name, SHARE_KERNEL) == 0)
                most = fmax(most, imported->tables[at].rows[row].number / 100);
    if (most < 0 || !finding_is(finding, "page-faults"))
        return;
    costing->least = fmin(costing->least, most);
    costing->most = fmin(costing->most, most);
}

/* Of a pair the slower run, else the one that pays most. */
static bool costing_find(const struct results *results, struct finding *finding, const struct imported_pair *pair,
                         struct costing *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct costing own;
    bool found = false;
    if (pair && costing_of(&pair->slow, finding->hypothesis->id, finding->arena, ret))
        return true;
    for (size_t at = 0, count = imported_arms_of(results->imported, arms); at < count; at++) {
        if (!costing_of(&arms[at], finding->hypothesis->id, finding->arena, &own) || (found && own.most <= ret->most))
            continue;
        *ret = own;
        found = true;
    }
    return found;
}

/* Of the loads that memory answered those that another node's did: how much time they took it doesn't say. */
static void remote_say(const struct results *results, struct finding *finding)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct remote_loads loads;
    size_t count = imported_arms_of(results->imported, arms);
    for (size_t at = 0; at < count && finding_is(finding, "numa-remote"); at++) {
        if (!remote_loads_of(&arms[at], &loads))
            continue;
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-remote",
                         VALUE_TEXT("file", arms[at].table->file), VALUE_TEXT("origin", IMPORTED_WORDS),
                         VALUE_SHARE("share", interval_exactly(remote_loads_share(&loads))),
                         VALUE_COUNT("remote", loads.remote), VALUE_COUNT("local", loads.local));
        if (finding->reason)
            finding->reason = arena_printf(finding->arena, "%s; %s", finding->reason,
                                           finding->evidence[finding->evidence_count - 1].text);
    }
}

/* What costs the faster of two runs little may cost the slower one much, where that didn't count it for long enough. */
static bool is_of_slow(const struct imported *imported, const struct finding *finding, const struct imported_pair *pair)
{
    static const double AS_LONG = 0.95; /* other events of the same run, counted in a run of their own */
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct costing own;
    const char *id = finding->hypothesis->id;
    if (costing_of(&pair->slow, id, finding->arena, &own))
        return true;
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count && pair->by_time; at++)
        if (arms[at].is_window == pair->is_window && imported_arm_length(&arms[at]).known &&
            imported_arm_length(&arms[at]).value >= AS_LONG * imported_arm_length(&pair->slow).value &&
            costing_of(&arms[at], id, finding->arena, &own))
            return true;
    return false;
}

/* pair: NULL: there aren't two runs that differ. */
static void known_decide(const struct results *results, struct finding *finding, const struct imported_pair *pair,
                         const struct costing *costing)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    costing_decide(finding, costing, results->effect);
    remote_say(results, finding);
    if (costing->least > 1) {
        finding->headline = NULL;
        finding->recoverable = (struct interval){0};
        leave_alike(finding, costing, "imported-more-than-all");
    } else if (pair) {
        pair_decide(results, finding, pair, costing);
    } else if (finding->verdict != VERDICT_RULED_OUT &&
               is_alike(results, finding, arms, imported_arms_of(results->imported, arms))) {
        leave_alike(finding, costing, "imported-alike");
    }
}

bool imported_count_test(const struct results *results, struct finding *finding)
{
    struct imported_pair pair;
    struct costing costing;
    bool is_pair = imported_pair_of(results->imported, &pair) && pair.gap.value >= results->effect;
    bool is_known = costing_find(results, finding, is_pair ? &pair : NULL, &costing) &&
                    !(costing.most < results->effect &&
                      (costing.is_part || (is_pair && !is_of_slow(results->imported, finding, &pair))));
    if (!is_known && !(is_pair && surplus_decide(results, finding, &pair)))
        return false;
    if (is_known) {
        keep_in_kernel(results->imported, finding, &costing);
        known_decide(results, finding, is_pair ? &pair : NULL, &costing);
    }
    if (finding->verdict == VERDICT_SUPPORTED) {
        imported_hot_add(results, finding, finding->recoverable.high);
        imported_loop_add(results, finding);
    }
    imported_advise_all(finding);
    return true;
}
