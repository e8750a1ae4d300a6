/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/open_said.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/counted.h"
#include "finding/imported/evidence.h"
#include "finding/imported/exits.h"
#include "finding/imported/leaf.h"
#include "finding/family.h"
#include "finding/maker.h"
#include "finding/wording.h"

#include <math.h>
#include <string.h>

/*
 * What the evidence lays at a cause that stays open. A bound says how much it can be at most: a loose one points at
 * nothing.
 */
static double pointed_at(const struct finding *finding, const struct results *results)
{
    unsigned causes = finding->hypothesis->causes;
    double laid = 0;
    if (finding->verdict != VERDICT_UNDECIDED || finding->hypothesis->is_capacity || finding_is_disturbance(finding) ||
        !finding->recoverable.known)
        return 0;
    if (finding->recoverable.low > 0)
        return finding->recoverable.mid;
    if (finding->evidence_count && finding->evidence[0].origin == ORIGIN_STATEMENT) /* a table of others bounds it */
        return 0;
    if (finding->pointed > 0)
        return finding->pointed;
    if (!results->bottleneck) /* samples beside such instructions are all there is; any code may be too much */
        return causes & ~CAUSE_BIT(CAUSE_FOOTPRINT) ? finding->recoverable.high : 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        laid += causes & CAUSE_BIT(cause) ? results->bottleneck->masses[cause] : 0;
    return laid;
}

const struct finding *open_lead_of(const struct findings *findings, const struct results *results)
{
    static const double LEAD_LEAST = 0.1;
    const struct finding *lead = NULL;
    double most = LEAD_LEAST;
    for (size_t at = 0; at < findings->count; at++) {
        double pointed = pointed_at(&findings->items[at], results);
        lead = pointed > most ? &findings->items[at] : lead;
        most = pointed > most ? pointed : most;
    }
    return lead;
}

static bool is_any_open(const struct findings *findings)
{
    for (size_t at = 0; at < findings->count; at++)
        if (findings->items[at].verdict == VERDICT_UNDECIDED && !findings->items[at].hypothesis->is_capacity)
            return true;
    return false;
}

/* No bound is below what the same sentence lays at it by estimate. */
static double most_of(const struct finding *lead, const struct results *results)
{
    const struct bottleneck_verdict *verdict = results->bottleneck ? &results->bottleneck->program : NULL;
    bool estimated = verdict && verdict->share.known && lead->of == OF_CPU_TIME &&
                     lead->hypothesis->causes & CAUSE_BIT(verdict->cause);
    return estimated ? fmax(lead->recoverable.high, verdict->share.high) : lead->recoverable.high;
}

/* "27 %", or as wide as the estimate leaves it: "5 to 43 %". */
static const char *laid_words(const struct finding *lead, const struct results *results, struct arena *arena)
{
    struct interval range = estimated_range(results, lead->hypothesis->causes);
    bool is_wide = (range.high - range.low) * 100 >= 2;
    return is_wide ? arena_printf(arena, "%.0f to %.0f %%", range.low * 100, range.high * 100)
                   : arena_printf(arena, "%.0f %%", range.mid * 100);
}

/* Where nothing is certain, what evidence points at is the next thing to look at. */
const char *open_said(const struct findings *findings, const struct results *results, struct arena *arena)
{
    const struct finding *lead = open_lead_of(findings, results);
    if (!lead)
        return is_any_open(findings) ? " Of what stays open only upper bounds are known: nothing points at any of it."
                                     : "";
    scoped_text struct text most = {0};
    struct value share = VALUE_SHARE("", interval_exactly(most_of(lead, results)));
    value_print(&most, &share);
    double pointed = pointed_at(lead, results);
    /* else the bound knows better */
    bool is_pointed = results->bottleneck && !(lead->recoverable.low > 0) && pointed <= lead->recoverable.high;
    const char *by = !is_pointed ? ""
                     : lead->pointed > 0
                         ? arena_printf(arena, "%.0f %% of the CPU time looks like it, ", pointed * 100)
                         : arena_printf(arena, "the estimate lays %s at it, ", laid_words(lead, results, arena));
    return arena_printf(arena, " The largest that stays open: %s (%sat most %s of the %s).", lead->hypothesis->title,
                        by, text_string(&most), denominator_name(lead->of));
}

/* The same table or sentence as the culprit's says no second time what is open. */
static bool says_the_same(const struct finding *finding, const struct finding *culprit)
{
    for (size_t at = 0; culprit && at < culprit->evidence_count; at++)
        if (strcmp(culprit->evidence[at].text, finding->evidence[0].text) == 0)
            return true;
    return false;
}

static void open_add(struct overall *overall, const char *text)
{
    for (size_t at = 0; at < overall->open_count; at++)
        if (strcmp(overall->open[at], text) == 0)
            return;
    if (overall->open_count < array_count(overall->open))
        overall->open[overall->open_count++] = text;
}

static bool is_open_by_others(const struct finding *finding)
{
    return finding->verdict == VERDICT_UNDECIDED && finding->evidence_count && finding->reason &&
           finding->evidence[0].origin == ORIGIN_STATEMENT && !finding->is_loose;
}

static bool is_open_alike(const struct finding *one, const struct finding *other)
{
    return is_open_by_others(other) && other->recoverable.known == one->recoverable.known &&
           strcmp(one->reason, other->reason) == 0;
}

/* Causes that stay open for one reason are told in one; NULL: it was told with an earlier one. */
static const char *open_words(const struct findings *findings, size_t index, struct arena *arena)
{
    enum { TITLES_MOST = 3 };
    const struct finding *finding = &findings->items[index];
    const char *titles = finding->hypothesis->title;
    size_t more = 0;
    for (size_t at = 0; at < index; at++)
        if (is_open_alike(finding, &findings->items[at]))
            return NULL;
    for (size_t at = index + 1; at < findings->count; at++)
        if (is_open_alike(finding, &findings->items[at]) && ++more < TITLES_MOST)
            titles = arena_printf(arena, "%s, %s", titles, findings->items[at].hypothesis->title);
    return more < TITLES_MOST
               ? arena_printf(arena, "%s: %s", titles, finding->reason)
               : arena_printf(arena, "%s and %zu more: %s", titles, more - TITLES_MOST + 1, finding->reason);
}

/* Where nothing is certain: what runs of others differ by, and the causes that their counts bound. */
static void open_bounds_take(struct overall *overall, const struct findings *findings, const struct results *results,
                             struct arena *arena)
{
    enum { BOUNDED_MOST = 3 };
    const char *gap = imported_gap_words(results, arena), *noise = imported_noise_words(results, arena);
    size_t bounded = 0;
    if (noise)
        open_add(overall, noise);
    if (gap && (results->stalls || !imported_lead_words(results, NULL, arena))) /* else it is said already */
        open_add(overall, gap);
    for (size_t at = 0; gap && at < findings->count && bounded < BOUNDED_MOST; at++) {
        const struct finding *finding = &findings->items[at];
        const char *words =
            is_open_by_others(finding) && finding->recoverable.known ? open_words(findings, at, arena) : NULL;
        if (words)
            open_add(overall, words);
        bounded += words != NULL;
    }
}

/* Of causes whose events were counted the one that may have cost most: one run alone has no gap to tell of. */
static void open_largest_take(struct overall *overall, const struct findings *findings, struct arena *arena)
{
    static const double LARGE = 0.1;
    const struct finding *largest = NULL;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (is_open_by_others(finding) && finding->pointed >= LARGE &&
            (!largest || finding->pointed > largest->pointed))
            largest = finding;
    }
    if (!largest)
        return;
    const char *words = open_words(findings, (size_t)(largest - findings->items), arena),
               *confirm = wording_find(largest->hypothesis->id, "confirm");
    if (words && !strstr(overall->sentence, largest->reason))
        open_add(overall, words);
    if (!overall->confirm && confirm && !strchr(confirm, '{'))
        overall->confirm = confirm;
}

/* A culprit that is certain and small doesn't hide what may be far more. */
static void open_larger_take(struct overall *overall, const struct findings *findings, struct arena *arena)
{
    static const double FAR_MORE = 2, LARGE = 0.5;
    const struct finding *culprit = overall->culprit, *largest = NULL;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (is_open_by_others(finding) && finding->advice_count && finding->pointed >= LARGE &&
            (!largest || finding->pointed > largest->pointed))
            largest = finding;
    }
    if (!largest || !culprit->imported_kinds || !culprit->recoverable.known ||
        largest->pointed < FAR_MORE * culprit->recoverable.high)
        return;
    const char *words = open_words(findings, (size_t)(largest - findings->items), arena);
    if (words)
        open_add(overall, words);
}

/*
 * What the culprit leaves unexplained; and of imported tables, which nobody can ask again, what they point at and don't
 * decide.
 */
void open_take(struct overall *overall, const struct findings *findings, const struct results *results,
               struct arena *arena)
{
    for (size_t at = 0; overall->culprit && at < overall->culprit->open_count; at++)
        open_add(overall, overall->culprit->open[at]);
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (!is_open_by_others(finding) || finding->recoverable.known || says_the_same(finding, overall->culprit) ||
            (!overall->culprit && strstr(overall->sentence, finding->evidence[0].text)))
            continue;
        const char *words = open_words(findings, at, arena);
        if (words)
            open_add(overall, words);
    }
    if (!overall->culprit) {
        open_bounds_take(overall, findings, results, arena);
        open_largest_take(overall, findings, arena);
    } else {
        open_larger_take(overall, findings, arena);
        const char *beyond = results->stalls ? NULL : imported_gap_beyond(results, overall->culprit, arena);
        if (beyond)
            open_add(overall, beyond);
    }
    const char *told = imported_gap_told_open(results, findings, overall->culprit, arena);
    const char *exits = told ? imported_exits_with_gap(results, findings, "gap-told-exits-open", arena) : NULL;
    if (told)
        open_add(overall, exits ? exits : told);
    size_t lead = overall->culprit ? UNNAMED_MOST : imported_unnamed_most(results);
    for (size_t at = 0; results->told && at < results->told->unnamed_count; at++) {
        const char *unnamed = at == lead ? NULL : imported_unnamed_words(results, at, "unnamed-beside", arena);
        if (unnamed)
            open_add(overall, unnamed);
    }
    for (size_t at = 0; results->told && at < results->told->trial_count; at++) {
        const char *of_none = imported_trial_of_none(results, at, arena);
        if (of_none)
            open_add(overall, of_none);
    }
}
