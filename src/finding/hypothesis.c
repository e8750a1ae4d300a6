/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/hypothesis.h"

#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported.h"
#include "finding/wording.h"

#include <stdlib.h>

const struct hypothesis *const hypothesis_table[] = {
    FAMILY_MEMORY, FAMILY_CORE, FAMILY_BUILD, FAMILY_LIBRARY, FAMILY_SYSTEM, NULL,
};

static const void *result_of(const struct results *results, enum result_kind kind)
{
    const void *const by_kind[] = {
        [RESULT_RUN] = results->run,
        [RESULT_ACTIVITY] = results->activity,
        [RESULT_STALLS] = results->stalls,
        [RESULT_COSTS] = results->costs,
        [RESULT_KERNEL] = results->kernel,
        [RESULT_WAITS] = results->waits,
        [RESULT_SURROUNDINGS] = results->surroundings,
        [RESULT_COUNTERS] = results->counters,
        [RESULT_STATEMENTS] = results->statements,
    };
    _Static_assert(array_count(by_kind) == RESULT_KIND_COUNT, "every kind of result");
    return by_kind[kind];
}

/* Hide what the hypothesis did not declare, so that the table says the truth about who depends on what. */
static struct results declared(const struct results *all, unsigned mask)
{
    struct results some = *all;
#define HIDE(kind, member)                                                                                        \
    if (!(mask & RESULT_BIT(kind)))                                                                               \
    some.member = NULL
    HIDE(RESULT_RUN, run);
    HIDE(RESULT_ACTIVITY, activity);
    HIDE(RESULT_STALLS, stalls);
    HIDE(RESULT_COSTS, costs);
    HIDE(RESULT_KERNEL, kernel);
    HIDE(RESULT_WAITS, waits);
    HIDE(RESULT_SURROUNDINGS, surroundings);
    HIDE(RESULT_COUNTERS, counters);
    HIDE(RESULT_STATEMENTS, statements);
#undef HIDE
    some.imported = NULL;
    return some;
}

/* NULL: whatever it needs is there; else why not. */
static const char *unmet_need(const struct hypothesis *hypothesis, const struct results *results)
{
    for (int kind = 0; kind < RESULT_KIND_COUNT; kind++)
        if (hypothesis->needs & RESULT_BIT(kind) && !result_of(results, kind))
            return results->why[kind] ? results->why[kind] : "that was not measured";
    return NULL;
}

static void test_one(const struct hypothesis *hypothesis, const struct results *results, struct finding *finding,
                     struct arena *arena)
{
    *finding = (struct finding){.hypothesis = hypothesis, .arena = arena, .verdict = VERDICT_NOT_TESTABLE};
    finding->of = results->run && results->run->scope == RUN_STARTED ? OF_ELAPSED : OF_CPU_TIME;
    const char *why_not = unmet_need(hypothesis, results);
    if (why_not) {
        finding_not_testable(finding, why_not, NULL);
    } else {
        struct results visible = declared(results, hypothesis->needs | hypothesis->uses);
        finding->is_estimate = (hypothesis->needs & RESULT_BIT(RESULT_STALLS)) != 0;
        hypothesis->test(&visible, finding);
    }
    if (!imported_test(results, finding) && why_not)
        return;
    if (results->run) {
        struct measured of = finding->of == OF_ELAPSED ? results->run->elapsed_s : results->run->cpu_s;
        finding->of_seconds = of.known ? of.value : 0;
    }
    finding_rate(finding, results->stalls ? (double)results->stalls->sample_count : 0);
}

/* Only when others take that much of the time is it the first thing to say. */
static const double DISTURBANCE_LEADS = 0.75;

static double rank_of(const struct finding *finding)
{
    if (!finding->recoverable.known)
        return 0;
    if (finding->hypothesis->is_disturbance && finding->recoverable.low < DISTURBANCE_LEADS)
        return 1e-6 * finding->recoverable.low;
    /* What is certain first; the middle only orders what is equally certain. */
    return finding->recoverable.low + 1e-3 * finding->recoverable.mid;
}

static int finding_compare(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    if (left->verdict != right->verdict)
        return (int)left->verdict - (int)right->verdict;
    double l = rank_of(left), r = rank_of(right);
    if (left->verdict == VERDICT_UNDECIDED) {
        l = left->recoverable.known ? left->recoverable.high : 2;
        r = right->recoverable.known ? right->recoverable.high : 2;
    }
    if (l != r)
        return l < r ? 1 : -1;
    return strcmp(left->hypothesis->id, right->hypothesis->id);
}

void findings_test(struct findings *ret_findings, const struct results *results, struct arena *arena)
{
    size_t count = array_count(hypothesis_table) - 1;
    struct finding *items = arena_array(arena, struct finding, count + 1);
    for (size_t at = 0; at < count; at++)
        test_one(hypothesis_table[at], results, &items[at], arena);
    qsort(items, count, sizeof(*items), finding_compare);
    *ret_findings = (struct findings){items, count};
}
