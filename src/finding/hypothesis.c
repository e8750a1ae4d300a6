/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/hypothesis.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/counted.h"
#include "finding/family.h"
#include "finding/imported/imported.h"
#include "finding/tool_advice.h"
#include "finding/verdict/attached_said.h"
#include "finding/verdict/enough.h"
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
        [RESULT_CEILINGS] = results->ceilings,
        [RESULT_PROBES] = results->probes,
        [RESULT_BOTTLENECK] = results->bottleneck,
        [RESULT_GUEST] = results->guest,
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
    HIDE(RESULT_CEILINGS, ceilings);
    HIDE(RESULT_PROBES, probes);
    HIDE(RESULT_BOTTLENECK, bottleneck);
    HIDE(RESULT_GUEST, guest);
    HIDE(RESULT_STATEMENTS, statements);
#undef HIDE
    some.imported = NULL;
    some.told = NULL;
    some.topdown = NULL;
    return some;
}

/* Below that, "up to 90 %" of every cause says nothing: a program that sleeps, or that is over at once. */
static const char *few_samples(const struct hypothesis *hypothesis, const struct results *results, struct arena *arena)
{
    bool by_samples = hypothesis->needs & (RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_KERNEL));
    uint64_t count = results->stalls ? results->stalls->sample_count : ENOUGH_SAMPLES;
    if (!by_samples || count >= ENOUGH_SAMPLES)
        return NULL;
    return arena_printf(arena, "%llu sample%s of its CPU time %s too few to tell causes apart (%d at least)",
                        (unsigned long long)count, count == 1 ? "" : "s", count == 1 ? "is" : "are",
                        ENOUGH_SAMPLES);
}

static const char *too_short(const char *what, double had_s, double least_s, struct arena *arena)
{
    scoped_text struct text had = {0}, least = {0};
    print_seconds(&had, had_s);
    print_seconds(&least, least_s);
    return arena_printf(arena, "too short: %s of %s; this needs about %s", text_string(&had), what,
                        text_string(&least));
}

/* What is counted exactly needs no length; all else is a few ticks and looks. */
static const char *little_time(const struct hypothesis *hypothesis, const struct results *results, struct arena *arena)
{
    const struct run_time *run = results->run;
    if (!run || run->scope == RUN_MACHINE)
        return NULL;
    if (hypothesis->by_the_clock)
        return run->elapsed_s.known && run->elapsed_s.value < ENOUGH_ELAPSED_S
                   ? too_short("elapsed time", run->elapsed_s.value, ENOUGH_ELAPSED_S, arena)
                   : NULL;
    if (!run->cpu_s.known && run->elapsed_s.known && run->elapsed_s.value < ENOUGH_CPU_S)
        return too_short("elapsed time", run->elapsed_s.value, ENOUGH_CPU_S, arena);
    return run->cpu_s.known && run->cpu_s.value < ENOUGH_CPU_S
               ? too_short("CPU time", run->cpu_s.value, ENOUGH_CPU_S, arena)
               : NULL;
}

static const char *few(const struct hypothesis *hypothesis, const struct results *results, struct arena *arena)
{
    bool counted = hypothesis->uses & RESULT_BIT(RESULT_COUNTERS) && counter_summary_has_hardware(results->counters);
    if (counted)
        return NULL;
    const char *samples = few_samples(hypothesis, results, arena);
    return samples ? samples : little_time(hypothesis, results, arena);
}

/* NULL: whatever it needs is there; else why not. */
static const char *unmet_need(const struct hypothesis *hypothesis, const struct results *results)
{
    for (int kind = 0; kind < RESULT_KIND_COUNT; kind++)
        if (hypothesis->needs & RESULT_BIT(kind) && !result_of(results, kind))
            return results->why[kind] ? results->why[kind] : "that was not measured";
    return NULL;
}

/*
 * Whoever has the program from elsewhere can't follow advice for its code: what they can do comes first, and whose the
 * rest is.
 */
static void advise_its_user(const struct results *results, struct finding *finding)
{
    const char *own[ADVICE_MOST];
    size_t count = finding->advice_count;
    memcpy(own, finding->advice, sizeof(own));
    finding->advice_count = 0;
    if (strcmp(finding->hypothesis->family, "core") == 0) /* the others' checks need no other code */
        finding_set(finding, confirm, "confirm-foreign", NO_VALUES);
    if (!library_advise(results, finding) && !script_advise(results, finding)) {
        script_advise_meaning(results, finding);
        finding->advice[finding->advice_count++] = foreign_advice(results);
    }
    for (size_t at = 0; at < count && finding->advice_count < ADVICE_MOST; at++)
        finding_advise(finding, "advice-own", VALUE_TEXT("advice", own[at]));
}

static void test_one(const struct hypothesis *hypothesis, const struct results *results, struct finding *finding,
                     struct arena *arena)
{
    *finding = (struct finding){.hypothesis = hypothesis, .arena = arena, .verdict = VERDICT_NOT_TESTABLE};
    finding->of = share_denominator(results->run);
    const char *unmet = unmet_need(hypothesis, results), *why_not = unmet ? unmet : few(hypothesis, results, arena);
    if (why_not) {
        finding_not_testable(finding, why_not, unmet ? NULL : enough_longer(results, arena));
    } else {
        struct results visible = declared(results, hypothesis->needs | hypothesis->uses);
        finding->is_estimate = (hypothesis->needs & RESULT_BIT(RESULT_STALLS)) != 0;
        hypothesis->test(&visible, finding);
        if (finding->verdict == VERDICT_SUPPORTED && finding->advice_count && hypothesis->changes_code &&
            (code_is_foreign(results) || library_is_plain(results)))
            advise_its_user(results, finding);
        if (finding->verdict == VERDICT_NOT_TESTABLE && (!finding->reason || !finding->reason[0]))
            finding->reason = "nothing ran while it was watched";
    }
    bool decided = counted_test(results, finding);
    if (!imported_test(results, finding) && !decided && why_not)
        return;
    bool is_open = finding->verdict == VERDICT_SUPPORTED || finding->verdict == VERDICT_UNDECIDED;
    if (is_open && !finding->confirm)
        finding->confirm = hypothesis->overturn;
    struct share_scale scale = share_scale_of(results);
    struct measured whole = share_whole_s(finding->of, &scale);
    finding->of_seconds = whole.known ? whole.value : 0;
    finding_rate(finding, results->stalls ? (double)results->stalls->sample_count : 0);
}

static bool is_unmeasured_of_system(const struct finding *finding)
{
    return finding->gain_unmeasured && !finding->imported_kinds && strcmp(finding->hypothesis->family, "system") == 0;
}

static double rank_of(const struct finding *finding)
{
    if (!finding->recoverable.known)
        return 0;
    if (finding_is_disturbance(finding))
        return 1e-6 * finding->recoverable.low;
    /* Of causes whose gain isn't measured, what threads do to one another comes before what their code does. */
    if (is_unmeasured_of_system(finding))
        return 1e-3 + 1e-3 * finding->recoverable.mid;
    /* What is certain first; the middle only orders what is equally certain. */
    return finding->recoverable.low + 1e-3 * finding->recoverable.mid;
}

static size_t table_index(const struct hypothesis *hypothesis)
{
    size_t at = 0;
    while (hypothesis_table[at] && hypothesis_table[at] != hypothesis)
        at++;
    return at;
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
        l -= left->hypothesis->is_capacity ? 6 : left->is_loose ? 3 : 0;
        r -= right->hypothesis->is_capacity ? 6 : right->is_loose ? 3 : 0;
    }
    if (l != r)
        return l < r ? 1 : -1;
    /* Equal: in the order of the table, commoner causes first. */
    size_t a_index = table_index(left->hypothesis), b_index = table_index(right->hypothesis);
    return (a_index > b_index) - (a_index < b_index);
}

static size_t position_of(const struct finding *items, size_t count, const char *id)
{
    size_t at = 0;
    while (at < count && !finding_is(&items[at], id))
        at++;
    return at;
}

static void move_before(struct finding *items, size_t from, size_t to)
{
    struct finding moved = items[from];
    memmove(&items[to + 1], &items[to], (from - to) * sizeof(*items));
    items[to] = moved;
}

static bool is_one_wait(const struct finding *one, const struct finding *other)
{
    return one->subject && other->subject && strcmp(one->subject, other->subject) == 0;
}

/* Who can't change the code can change its pages: of one wait, that is what they can do first. */
static void advise_pages_too(struct finding *misses, const struct finding *pages)
{
    if (misses->advice_count >= ADVICE_MOST || !pages->advice_count)
        return;
    finding_advise(misses, "advice-pages-first", VALUE_SHARE("share", pages->recoverable),
                   VALUE_TEXT("advice", pages->advice[0]));
    const char *last = misses->advice[misses->advice_count - 1];
    memmove(&misses->advice[1], &misses->advice[0], (misses->advice_count - 1) * sizeof(*misses->advice));
    misses->advice[0] = last;
}

/*
 * Pages and caches are two parts of one wait: data in the near caches needs no page walks either. Where both are
 * certain for the same load, the larger part comes first, or what the estimate names: where that is the walks, other
 * pages need no other code. Probes that say that other pages return next to nothing say more than an estimate.
 */
static void put_larger_part_first(struct finding *items, size_t count, const struct results *results)
{
    size_t pages = position_of(items, count, "small-pages"), misses = position_of(items, count, "cache-misses");
    if (pages >= count || misses >= count || items[pages].verdict != VERDICT_SUPPORTED ||
        items[misses].verdict != VERDICT_SUPPORTED || !is_one_wait(&items[pages], &items[misses]))
        return;
    const struct interval *walks = &items[pages].recoverable, *near = &items[misses].recoverable;
    const struct bottleneck *bottleneck = results->bottleneck;
    bool estimated =
        bottleneck && bottleneck->program.cause == CAUSE_TLB && bottleneck->program.confidence >= ESTIMATE_MEDIUM;
    /* whatever the estimate names: what was measured of both doesn't overlap */
    bool is_far_more = near->low > 2 * walks->high;
    bool more = (!estimated && near->mid - walks->mid > walks->mid) || is_far_more;
    if (more && code_is_foreign(results))
        advise_pages_too(&items[misses], &items[pages]);
    if (more && misses > pages)
        move_before(items, misses, pages);
    else if (!more && pages > misses)
        move_before(items, pages, misses);
}

/* The middle of what is laid at it: of a fact without a measured gain, of its share. */
static double middle_of(const struct finding *finding)
{
    return finding->recoverable.mid * (finding->gain_unmeasured ? 2 : 1) *
           (finding->of_seconds > 0 ? finding->of_seconds : 1);
}

/* What was measured and what the estimate names are one: whatever else the same time could be laid at says less. */
static bool estimate_names(const struct finding *finding, const struct results *results)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    return bottleneck && bottleneck->program.confidence >= ESTIMATE_MEDIUM &&
           finding->hypothesis->causes & CAUSE_BIT(bottleneck->program.cause);
}

/*
 * Where the time goes is the first thing to say: a small cause that is known to the percent must not stand before it.
 */
static void put_far_larger_first(struct finding *items, size_t count, const struct results *results)
{
    size_t best = 0;
    if (!count || estimate_names(&items[0], results))
        return;
    for (size_t at = 1; at < count && items[at].verdict == VERDICT_SUPPORTED; at++)
        if (finding_is_far_larger(&items[at], &items[0]) &&
            middle_of(&items[at]) > 2 * finding_most_returned(&items[0]) && !is_one_wait(&items[at], &items[0]) &&
            (!best || middle_of(&items[at]) > middle_of(&items[best])))
            best = at;
    if (best && !finding_is_disturbance(&items[0]))
        move_before(items, best, 0);
}

/*
 * Of causes of like weight the one first that the estimate names too; a gain that nobody measured says nothing against
 * one that was.
 */
static void put_named_first(struct finding *items, size_t count, const struct results *results)
{
    if (!count || estimate_names(&items[0], results) || finding_is_disturbance(&items[0]) ||
        is_unmeasured_of_system(&items[0]))
        return;
    for (size_t at = 1; at < count && items[at].verdict == VERDICT_SUPPORTED; at++)
        if (estimate_names(&items[at], results) && (items[0].gain_unmeasured || !items[at].gain_unmeasured) &&
            items[at].recoverable.high >= items[0].recoverable.low) {
            move_before(items, at, 0);
            return;
        }
}

/*
 * Imported tables tell that it waited, and others what for: that is one cause, by its name. What we recorded ourselves
 * says what each wait was for.
 */
static void put_what_is_waited_for_first(struct finding *items, size_t count)
{
    static const char *const names[] = {"swap", "lock-turns"};
    size_t waiting = position_of(items, count, "waiting");
    for (size_t name = 0; name < array_count(names) && waiting < count; name++) {
        size_t at = position_of(items, count, names[name]);
        if (at >= count || items[at].verdict != VERDICT_SUPPORTED || !items[at].imported_kinds ||
            items[waiting].verdict != VERDICT_SUPPORTED || !items[waiting].imported_kinds ||
            2 * middle_of(&items[at]) < middle_of(&items[waiting]))
            continue;
        items[at].subject = items[waiting].subject = names[name];
        if (at > waiting)
            move_before(items, at, waiting);
        return;
    }
}

/* Accesses that wait for memory, and nearly all of it is on another node: where it lies is the cause. */
static void put_far_memory_first(struct finding *items, size_t count)
{
    static const double NEARLY_ALL = 0.75;
    size_t latency = position_of(items, count, "dram-latency"), remote = position_of(items, count, "numa-remote");
    if (latency || remote >= count || items[latency].verdict != VERDICT_SUPPORTED ||
        items[remote].verdict != VERDICT_SUPPORTED ||
        finding_most_returned(&items[remote]) < NEARLY_ALL * finding_most_returned(&items[latency]))
        return;
    items[latency].is_within_first = true;
    move_before(items, remote, latency);
}

static void advise_allocators_callers(struct finding *held, const struct finding *allocation)
{
    held->advice_count = 0;
    for (size_t advice = 0; advice < allocation->advice_count; advice++)
        finding_advise(held, "advice-callers", VALUE_TEXT("advice", allocation->advice[advice]));
    held->confirm = allocation->confirm;
}

/* What holds up the code of an allocator, or of what clears new memory, only its callers can change. */
static void advise_callers(struct finding *items, size_t count, const struct results *results)
{
    size_t at = position_of(items, count, "allocation");
    const struct finding *allocation = at < count && items[at].verdict == VERDICT_SUPPORTED ? &items[at] : NULL;
    for (size_t held = 0; held < count && items[held].verdict == VERDICT_SUPPORTED; held++) {
        if (!items[held].hypothesis->changes_code || !estimate_names(&items[held], results))
            continue;
        const char *function = results->bottleneck->program.function;
        if (allocation && &items[held] != allocation && function_allocates(results, function)) {
            advise_allocators_callers(&items[held], allocation);
        } else if (function && strncmp(function, "runtime.memclr", strlen("runtime.memclr")) == 0) {
            finding_readvise(&items[held], "advice-clearing-go", VALUE_TEXT("function", function));
            finding_set(&items[held], confirm, "confirm-clearing", NO_VALUES);
        }
    }
}

/* New objects touch new pages: fewer of them are fewer faults. */
static void advise_on_making(struct finding *items, size_t count)
{
    size_t faults = position_of(items, count, "page-faults"), made = position_of(items, count, "allocation");
    if (faults >= count || made >= count || items[faults].verdict != VERDICT_SUPPORTED ||
        items[made].verdict != VERDICT_SUPPORTED || !items[made].evidence_count ||
        strcmp(items[made].evidence[0].key, "making") != 0 || !items[made].advice_count ||
        items[faults].advice_count >= ADVICE_MOST)
        return;
    memmove(&items[faults].advice[1], items[faults].advice, items[faults].advice_count * sizeof(*items->advice));
    items[faults].advice[0] = items[made].advice[0];
    items[faults].advice_count++;
}

/* Whoever can't change the code can still set when its runtime collects. */
static void advise_on_collecting(struct finding *items, size_t count, const struct results *results)
{
    size_t at = position_of(items, count, "garbage-collection");
    const struct finding *collecting = at < count && items[at].verdict == VERDICT_SUPPORTED ? &items[at] : NULL;
    if (!collecting || !collecting->advice_count || !code_is_foreign(results) || library_is_plain(results))
        return;
    struct interval share = collecting->shown.known ? collecting->shown : collecting->recoverable;
    for (size_t held = 0; held < count && items[held].verdict == VERDICT_SUPPORTED; held++) {
        const char *own[ADVICE_MOST];
        size_t own_count = items[held].advice_count;
        bool is_script = items[held].hypothesis == &hypothesis_interpreter;
        if (is_script && own_count < ADVICE_MOST && !strstr(items[held].advice[0], "garbage collector"))
            finding_advise(&items[held], "advice-collecting", VALUE_SHARE("share", share),
                           VALUE_TEXT("of", denominator_name(collecting->of)),
                           VALUE_TEXT("advice", collecting->advice[0]));
        if (!items[held].hypothesis->changes_code || !own_count)
            continue;
        memcpy(own, items[held].advice, sizeof(own));
        finding_readvise(&items[held], "advice-collecting", VALUE_SHARE("share", share),
                         VALUE_TEXT("of", denominator_name(collecting->of)),
                         VALUE_TEXT("advice", collecting->advice[0]));
        for (size_t next = 0; next < own_count && items[held].advice_count < ADVICE_MOST; next++)
            items[held].advice[items[held].advice_count++] = own[next];
    }
}

static bool is_collectors(const struct stalls *stalls, const char *name)
{
    for (size_t at = 0; stalls && name && at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].name, name) == 0)
            return function_collects(stalls, &stalls->functions[at]);
    return false;
}

/* What holds up a collector's code is nothing to look for in that code: how often it collects is the first to say. */
static void put_collecting_first(struct finding *items, size_t count, const struct results *results)
{
    size_t collecting = position_of(items, count, "garbage-collection");
    if (collecting < count && collecting && items[collecting].verdict == VERDICT_SUPPORTED &&
        is_collectors(results->stalls, items[0].function))
        move_before(items, collecting, 0);
    else
        return;
    for (size_t at = 1; at < count; at++)
        items[at].is_within_first = is_collectors(results->stalls, items[at].function);
}

void findings_test(struct findings *ret_findings, const struct results *results, struct arena *arena)
{
    size_t count = array_count(hypothesis_table) - 1;
    struct finding *items = arena_array(arena, struct finding, count + 1);
    for (size_t at = 0; at < count; at++)
        test_one(hypothesis_table[at], results, &items[at], arena);
    qsort(items, count, sizeof(*items), finding_compare);
    put_larger_part_first(items, count, results);
    put_far_larger_first(items, count, results);
    put_named_first(items, count, results);
    put_collecting_first(items, count, results);
    put_what_is_waited_for_first(items, count);
    put_far_memory_first(items, count);
    advise_callers(items, count, results);
    advise_on_making(items, count);
    advise_on_collecting(items, count, results);
    *ret_findings = (struct findings){items, count};
    attached_findings(ret_findings, results, arena);
}

const struct finding *findings_find(const struct findings *findings, const char *id)
{
    for (size_t at = 0; at < findings->count; at++)
        if (finding_is(&findings->items[at], id))
            return &findings->items[at];
    return NULL;
}
