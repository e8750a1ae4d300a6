/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Top-down classes say how long memory was waited for, counts and tables of nodes where it was: together they are the
 * cause, one without the other isn't.
 */
#include "finding/imported/remote.h"

#include "base/node_told.h"
#include "base/place_names.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include "system/sysroot.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From so much on it is what memory's answers are; below that threads may as well share what lies on several nodes. */
static const double NEARLY_ALL = 0.75;

bool remote_loads_of(const struct imported_arm *arm, struct remote_loads *ret)
{
    static const struct {
        const char *remote, *local;
    } names[] = {{"mem_load_l3_miss_retired.remote_dram", "mem_load_l3_miss_retired.local_dram"},
                 {"mem_load_uops_l3_miss_retired.remote_dram", "mem_load_uops_l3_miss_retired.local_dram"},
                 {"mem_load_uops_llc_miss_retired.remote_dram", "mem_load_uops_llc_miss_retired.local_dram"}};
    for (size_t at = 0; at < array_count(names); at++) {
        struct measured remote = imported_arm_count(arm, names[at].remote),
                        local = imported_arm_count(arm, names[at].local);
        *ret = (struct remote_loads){remote.value, local.value};
        if (remote.known && local.known && remote.value + local.value > 0)
            return true;
    }
    return false;
}

double remote_loads_share(const struct remote_loads *loads)
{
    return loads->remote / (loads->remote + loads->local);
}

/* Of several runs the one that has the smallest share; false: none counted both. */
static bool loads_find(const struct imported *imported, struct imported_arm *ret_arm, struct remote_loads *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct remote_loads own;
    bool found = false;
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        if (!remote_loads_of(&arms[at], &own) || (found && remote_loads_share(&own) >= remote_loads_share(ret)))
            continue;
        *ret = own;
        *ret_arm = arms[at];
        found = true;
    }
    return found;
}

/* As sentences tell; -1: they don't, or name several. */
static int node_told(const struct results *results)
{
    int node = -1;
    bool differ = false;
    for (size_t at = 0; results->statements && at < results->statements->count; at++) {
        int one = node_told_in(view_of(results->statements->items[at].text));
        differ |= one >= 0 && node >= 0 && one != node;
        node = one >= 0 ? one : node;
    }
    return differ ? -1 : node;
}

/* ---- by lists of CPUs ---- */

static bool is_of(const struct imported_row *row, const char *what)
{
    return strncmp(row->name, what, strlen(what)) == 0;
}

/* All CPUs of one list are among those of the other. */
static bool is_within(const char *list, const char *all)
{
    int *some = NULL, *cpus = NULL;
    size_t count = 0, most = 0, found = 0;
    if (cpu_list_parse(view_of(list), &some, &count) && cpu_list_parse(view_of(all), &cpus, &most))
        for (size_t at = 0; at < count; at++)
            for (size_t other = 0; other < most; other++)
                found += some[at] == cpus[other];
    free(some);
    free(cpus);
    return count && found == count;
}

/* The node that has all CPUs of the list; -1: none, or it isn't told. */
static int node_with(const struct imported *imported, const char *list)
{
    uint64_t node;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_PLACES; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            if (is_of(here, PLACE_NODE) && is_within(list, here->where) &&
                view_u64(view_skip(view_of(here->name), strlen(PLACE_NODE)), 10, &node) && node <= INT_MAX)
                return (int)node;
        }
    return -1;
}

/* Of another process than that whose memory was looked at. */
static bool is_anothers(const struct imported *imported, const char *pid)
{
    bool is_told = false, is_its = false;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_PLACES; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            is_told |= is_of(here, PLACE_MEMORY);
            is_its |= is_of(here, PLACE_MEMORY) && strcmp(here->name + strlen(PLACE_MEMORY), pid) == 0;
        }
    return pid[0] && is_told && !is_its;
}

/* By which CPUs it may use; -1: several nodes', or it isn't told. */
static int node_bound(const struct imported *imported)
{
    int node = -1;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_PLACES; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            if (!is_of(here, PLACE_BOUND) || is_anothers(imported, here->name + strlen(PLACE_BOUND)))
                continue;
            int one = node_with(imported, here->where);
            if (one < 0 || (node >= 0 && one != node))
                return -1;
            node = one;
        }
    return node;
}

/* What lies on another node than the one that it runs on. */
struct away {
    const struct imported_row *row; /* NULL: nearly nothing, or it isn't told */
    const char *file;
};

/* "node 1" */
static bool is_of_another(const char *where, uint64_t runs_on)
{
    static const char mark[] = "node ";
    uint64_t node;
    return view_starts(view_of(where), mark) && view_u64(view_skip(view_of(where), sizeof(mark) - 1), 10, &node) &&
           node != runs_on;
}

static struct away away_of(const struct results *results)
{
    struct away away = {.row = NULL};
    int told = node_told(results), runs_on = told >= 0 ? told : node_bound(results->imported);
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_MEMORY_AWAY, &away.file);
    const char *file;
    if (!row && (row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_FULLEST_NODE, &file))) {
        away.file = file;
        row = runs_on >= 0 && is_of_another(row->where, (uint64_t)runs_on) ? row : NULL;
    }
    away.row = row && row->number / 100 >= NEARLY_ALL ? row : NULL;
    return away;
}

/*
 * How much of the time memory was waited for, 0..1. Of all waiting no more than what so many loads commonly take; 0:
 * nobody says so.
 */
static double waited_of(const struct imported *imported, const struct imported_arm *arm,
                        const struct remote_loads *loads, const char **ret_metric)
{
    static const double COMMONLY = 300; /* cycles a load of another node's memory, where others overlap */
    struct measured dram = imported_number(imported, IMPORTED_METRICS, "tma_dram_bound", NULL),
                    memory = imported_number(imported, IMPORTED_METRICS, "tma_memory_bound", NULL),
                    cycles = arm ? imported_arm_count(arm, "cycles") : not_measured("");
    *ret_metric = dram.known ? "tma_dram_bound" : "tma_memory_bound";
    if (dram.known)
        return dram.value / 100;
    return memory.known && cycles.known && cycles.value > 0
               ? fmin(memory.value / 100, loads->remote * COMMONLY / cycles.value)
               : 0;
}

static void away_say(struct finding *finding, const struct away *away)
{
    finding->imported_kinds |= 1u << ORIGIN_PAGES;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-away", VALUE_TEXT("where", away->row->where),
                     VALUE_SHARE("share", interval_exactly(away->row->number / 100)), VALUE_TEXT("file", away->file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* Where its memory is, or its memory to where it runs. */
static void where_advise(struct finding *finding, const struct away *away)
{
    static const char mark[] = "node ";
    if (!away->row || strncmp(away->row->where, mark, sizeof(mark) - 1) != 0)
        return;
    struct value node = VALUE_TEXT("node", away->row->where + sizeof(mark) - 1);
    finding_advise(finding, "advice-where", node);
    finding_advise(finding, "advice-spread", NO_VALUES);
    finding_set(finding, confirm, "confirm-where", node);
}

/*
 * As many loads as a core has on their way at once overlap at best: that they take some of the time is certain then,
 * how much isn't.
 */
static bool do_take_time(const struct imported_arm *arm, const struct remote_loads *loads, double effect)
{
    static const double LEAST_EACH = 15; /* cycles: some 300 of a load, by 20 on their way */
    struct measured cycles = imported_arm_count(arm, "cycles");
    return cycles.known && cycles.value > 0 && LEAST_EACH * loads->remote >= effect * cycles.value;
}

/* It runs on one node, its memory is on another, and its loads go there, for however much of the time. */
static void far_decide(const struct results *results, struct finding *finding, const struct imported_arm *arm,
                       const struct remote_loads *loads, const struct away *away)
{
    double share = remote_loads_share(loads);
    finding_decide_fact(finding, interval_exactly(share), results->effect);
    finding->recoverable = (struct interval){0}; /* a share of loads, not of time */
    finding->of = OF_CPU_TIME;
    finding->is_own_doing = true;
    finding->reason = NULL;
    finding->evidence_count = finding->advice_count = 0;
    finding->pointed = 0;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    struct value values[] = {VALUE_SHARE("share", interval_exactly(share)),
                             VALUE_SHARE("memory", interval_exactly(away->row->number / 100)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("file", arm->table->file),
                             VALUE_COUNT("remote", loads->remote),
                             VALUE_COUNT("local", loads->local),
                             VALUE_TEXT("where", away->row->where),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-remote", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-far-headline", values, array_count(values));
    away_say(finding, away);
    where_advise(finding, away);
    imported_advise_all(finding);
}

/* It runs on one node and its memory is on another: how much that took isn't told, and it is what is tried first. */
static void away_lead(struct finding *finding, const struct away *away)
{
    const char *beside = finding->evidence_count ? finding->evidence[0].text : NULL;
    finding->evidence_count = finding->advice_count = 0;
    away_say(finding, away);
    if (beside)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-also", VALUE_TEXT("evidence", beside));
    if (!finding->recoverable.known)
        finding_set(finding, reason, "imported-away-open", VALUE_TEXT("where", away->row->where),
                    VALUE_SHARE("share", interval_exactly(away->row->number / 100)), VALUE_TEXT("file", away->file),
                    VALUE_TEXT("origin", IMPORTED_WORDS));
    finding->pointed = away->row->number / 100;
    where_advise(finding, away);
}

void imported_remote_decide(const struct results *results, struct finding *finding)
{
    struct imported_arm arm;
    struct remote_loads loads = {0, 0};
    struct away away;
    const char *metric;
    bool is_asked = finding_is(finding, "numa-remote") && finding->verdict == VERDICT_UNDECIDED;
    if (!is_asked)
        return;
    bool counted = loads_find(results->imported, &arm, &loads),
         is_far = counted && remote_loads_share(&loads) >= NEARLY_ALL;
    away = away_of(results);
    double waited = waited_of(results->imported, counted ? &arm : NULL, &loads, &metric),
           share = counted    ? remote_loads_share(&loads)
                   : away.row ? away.row->number / 100
                              : 0;
    if (is_far && away.row && waited <= 0) {
        if (do_take_time(&arm, &loads, results->effect))
            far_decide(results, finding, &arm, &loads, &away);
        else
            away_lead(finding, &away);
        return;
    }
    if (waited * share < results->effect || (counted ? !is_far : !away.row)) {
        static const double MOST_OF = 0.5;
        if (away.row && (!counted || share >= MOST_OF))
            away_lead(finding, &away);
        else if (is_far && !finding->advice_count)
            finding_advise(finding, "advice", NO_VALUES); /* cheap to try, however much it is */
        return;
    }
    finding_decide_fact(finding, interval_exactly(waited * share), results->effect);
    finding->reason = NULL;
    finding->evidence_count = finding->advice_count = 0;
    finding->pointed = 0;
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS;
    struct value values[] = {VALUE_SHARE("share", interval_exactly(share)),
                             VALUE_TEXT("metric", metric),
                             VALUE_SHARE("waited", interval_exactly(waited)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("file", counted ? arm.table->file : away.file),
                             VALUE_COUNT("remote", loads.remote),
                             VALUE_COUNT("local", loads.local),
                             VALUE_TEXT("where", away.row ? away.row->where : ""),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT,
                         counted ? "imported-remote-waits" : "imported-away-waits", values, array_count(values));
    finding_set_add(finding, &finding->headline, counted ? "imported-remote-headline" : "imported-away-headline",
                    values, array_count(values));
    if (away.row)
        away_say(finding, &away);
    where_advise(finding, &away);
    imported_advise_all(finding);
}
