/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/imported_said.h"

#include "analyse/imported_pair.h"
#include "finding/imported/evidence.h"
#include "finding/imported/exits.h"
#include "finding/imported/leaf.h"
#include "finding/imported/looks.h"
#include "finding/verdict/described.h"
#include "finding/verdict/next_imported.h"
#include "finding/verdict/open_said.h"
#include "finding/verdict/plan_said.h"
#include "finding/verdict/ruled_out_said.h"
#include "finding/verdict/try_next.h"
#include "finding/verdict/weighing.h"
#include "finding/wording.h"

#include <string.h>

/* What a program's threads wait for most, where how much of the time that is isn't told; NULL: nobody says. */
static const struct finding *waiting_lead_of(const struct findings *findings)
{
    const struct finding *lead = NULL;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        if (finding->verdict == VERDICT_UNDECIDED && finding->imported_kinds && finding->pointed > 0 &&
            finding->evidence_count && (!lead || finding->pointed > lead->pointed))
            lead = finding;
    }
    return lead;
}

/* What the same evidence may be for. */
static const char *leads_titles(const struct findings *findings, const struct finding *lead, struct arena *arena)
{
    const char *titles = lead->hypothesis->title;
    bool is_alone = true;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *other = &findings->items[at];
        if (other == lead || other->verdict != VERDICT_UNDECIDED || !(other->pointed > 0) || !other->evidence_count ||
            strcmp(other->evidence[0].text, lead->evidence[0].text) != 0)
            continue;
        titles = arena_printf(arena, "%s, or %s", titles, other->hypothesis->title);
        is_alone = false;
    }
    return is_alone ? titles : arena_printf(arena, "%s,", titles);
}

/*
 * Where each instruction takes longer, what a table has beside it that goes with that, of which it isn't told how much
 * time it took; NULL: none, or several.
 */
static const struct finding *goes_with_rate(const struct findings *findings, const struct results *results)
{
    const struct finding *found = NULL;
    size_t count = 0;
    for (size_t at = 0; at < findings->count; at++) {
        const struct finding *finding = &findings->items[at];
        bool is_one = finding->verdict == VERDICT_UNDECIDED && finding->imported_kinds && finding->reason &&
                      finding->evidence_count && strcmp(finding->hypothesis->family, "memory") == 0;
        found = is_one ? finding : found;
        count += is_one;
    }
    return count == 1 && imported_differ_by(results) == FACTOR_RATE ? found : NULL;
}

/* What two runs or windows differ by, and why, as far as that is told. */
static struct overall with_lead(struct overall overall, const struct findings *findings, const struct results *results,
                                bool is_said, struct arena *arena)
{
    const char *lead = imported_lead_words(results, NULL, arena);
    const struct finding *beside = is_said ? NULL : goes_with_rate(findings, results);
    bool is_work = imported_differ_by(results) == FACTOR_WORK, is_wide = imported_wide_pays(results);
    if (!lead)
        return overall;
    const char *rest = is_said   ? overall.sentence
                       : beside  ? arena_printf(arena, "%s may be why: %s. Nothing was measured by plumb in this case.",
                                                capitalised(beside->hypothesis->title, arena), beside->reason)
                       : is_wide ? "Nothing was measured by plumb in this case."
                       : is_work ? arena_printf(arena, "%s.", wording_find("verdict", "why-work"))
                                 : arena_printf(arena, "%s.", wording_find("verdict", "why-open"));
    overall.sentence = arena_printf(arena, "%s. %s", capitalised(lead, arena), rest);
    if (is_work && !is_said)
        advise(&overall, wording_find("verdict", is_wide ? "next-wide" : "next-more-work"));
    return overall;
}

/* What was tried and helped comes first, whatever cause that took away. is_said: the sentence tells something, too. */
static struct overall with_unnamed(struct overall overall, const struct results *results, bool is_said,
                                   struct arena *arena)
{
    const char *words =
        results->stalls ? NULL : imported_unnamed_words(results, imported_unnamed_most(results), "unnamed-lead", arena);
    if (words)
        overall.sentence = arena_printf(arena, "%s. %s", capitalised(words, arena),
                                        is_said ? overall.sentence : "Nothing was measured by plumb in this case.");
    return overall;
}

/* What a server is busy with, by its own counts, before what the code of it does. */
static struct overall with_command(struct overall overall, const struct results *results, bool is_said,
                                   struct arena *arena)
{
    const char *command = imported_command_words(results, arena);
    if (!command)
        return overall;
    overall.sentence = arena_printf(arena, "%s. %s", command,
                                    is_said ? overall.sentence : "Nothing was measured by plumb in this case.");
    advise(&overall, imported_command_advice(results));
    return overall;
}

struct overall overall_imported(const struct findings *findings, const struct results *results, struct arena *arena)
{
    struct imported_leaf leaf = imported_leaf_of(results, findings, NULL, arena);
    const char *hot = imported_hot_words(results, leaf.words && leaf.is_of_memory, arena),
               *contradiction = imported_contradiction(findings, NULL, arena);
    const struct finding *waits = waiting_lead_of(findings);
    const char *computing = imported_computing_words(results, arena), *looks = imported_looks_words(results, arena);
    const char *plan = plan_said(results, arena);
    struct overall overall = {
        .kind = OVERALL_BLIND,
        .sentence =
            "Nothing was measured by plumb in this case, and what was imported or said supports no cause for certain.",
        .ruled_out = ruled_out_said(findings, results->effect, arena),
    };
    const char *none = overall.sentence;
    if (contradiction)
        overall.sentence =
            arena_printf(arena, "%s. Nothing was measured by plumb in this case.", capitalised(contradiction, arena));
    else if (leaf.words)
        overall.sentence = arena_printf(arena, "%s.%s%s%s Nothing was measured by plumb in this case.",
                                        capitalised(leaf.words, arena), hot ? " " : "", hot ? hot : "", hot ? "." : "");
    else if (plan)
        overall.sentence = arena_printf(arena, "%s. Nothing was measured by plumb in this case.", plan);
    else if (hot && waits)
        overall.sentence =
            arena_printf(arena, "%s. %s may hold it up: %s. Nothing was measured by plumb in this case.", hot,
                         capitalised(leads_titles(findings, waits, arena), arena), waits->evidence[0].text);
    else if (hot)
        overall.sentence = arena_printf(arena,
                                        "%s. What was imported or said supports no cause of it for certain, and "
                                        "nothing was measured by plumb in this case.",
                                        hot);
    else if (looks && !waits)
        overall.sentence = arena_printf(arena, "%s. Nothing was measured by plumb in this case.%s", looks,
                                        open_lead_of(findings, results) ? open_said(findings, results, arena) : "");
    else if (open_lead_of(findings, results))
        overall.sentence = arena_printf(arena, "%s%s", overall.sentence, open_said(findings, results, arena));
    else if (waits)
        overall.sentence =
            arena_printf(arena, "%s may hold it up: %s.%s%s%s Nothing was measured by plumb in this case.",
                         capitalised(leads_titles(findings, waits, arena), arena), waits->evidence[0].text,
                         looks ? " " : "", looks ? looks : "", looks ? "." : "");
    else if (computing)
        overall.sentence = arena_printf(arena, "%s. Nothing was measured by plumb in this case.", computing);
    overall = with_lead(overall, findings, results,
                        leaf.words || hot || looks || waits || open_lead_of(findings, results), arena);
    overall = with_command(overall, results, contradiction || leaf.words || hot || plan || looks || waits, arena);
    overall = with_unnamed(overall, results, overall.sentence != none, arena);
    if (leaf.advice)
        advise(&overall, leaf.advice);
    else if (!leaf.words && imported_rate_advice(results))
        advise(&overall, imported_rate_advice(results));
    for (size_t at = 0; waits && !leaf.words && !hot && at < waits->advice_count; at++)
        advise(&overall, waits->advice[at]);
    if (waits && !leaf.words && !hot && waits->advice_count && waits->confirm)
        overall.confirm = waits->confirm;
    if (plan && !contradiction && !leaf.words) {
        advise(&overall, wording_find("verdict", "next-index"));
        overall.confirm = wording_find("verdict", "next-index-check");
    }
    if (!overall.advice_count)
        advise_on_imported(&overall, results, arena);
    return overall;
}

/* What most of the time points at, though it decides nothing, before a cause that is certain and small beside it. */
static struct overall with_larger_lead(struct overall overall, const struct findings *findings, struct arena *arena)
{
    static const double LARGE = 0.5, FAR_LARGER = 2;
    const struct finding *lead = waiting_lead_of(findings);
    if (!lead || lead->pointed < LARGE || !overall.culprit->recoverable.known || !is_small(overall.culprit) ||
        lead->pointed < FAR_LARGER * finding_most_returned(overall.culprit))
        return overall;
    overall.sentence = arena_printf(arena, "%s may hold it up: %s. Certain, but small: %s.",
                                    capitalised(leads_titles(findings, lead, arena), arena), lead->evidence[0].text,
                                    finding_words(overall.culprit));
    overall.culprit_is_small = true;
    overall.larger = NULL;
    overall.advice_count = 0; /* of what is as small */
    for (size_t at = 0; at < lead->advice_count; at++)
        advise(&overall, lead->advice[at]);
    overall.confirm = lead->confirm ? lead->confirm : overall.confirm;
    return overall;
}

struct overall with_imported_leaf(struct overall overall, const struct findings *findings,
                                  const struct results *results, struct arena *arena)
{
    struct imported_leaf leaf =
        results->stalls ? (struct imported_leaf){0} : imported_leaf_of(results, findings, overall.culprit, arena);
    if (!leaf.words)
        return results->stalls ? overall : with_larger_lead(overall, findings, arena);
    overall.sentence = arena_printf(arena, "%s. Certain, but small: %s.", capitalised(leaf.words, arena),
                                    finding_words(overall.culprit));
    overall.culprit_is_small = true;
    if (leaf.advice)
        advise(&overall, leaf.advice);
    return overall;
}

/* What one table has far more of than the culprit has at least, and another has not: that comes first. */
static struct overall with_contradiction(struct overall overall, const struct findings *findings,
                                         const struct results *results, struct arena *arena)
{
    const char *words = results->stalls ? NULL : imported_contradiction(findings, overall.culprit, arena);
    if (!words || overall.culprit_is_small)
        return overall;
    overall.sentence = arena_printf(arena, "%s. What is supported all the same: %c%s", capitalised(words, arena),
                                    finding_words(overall.culprit)[0], overall.sentence + 1);
    overall.culprit_is_small = overall.culprit_is_less = true;
    return overall;
}

/* What was told is what is asked about: before a cause that is far less than that. */
static struct overall with_told_gap(struct overall overall, const struct findings *findings,
                                    const struct results *results, struct arena *arena)
{
    const char *told = imported_gap_told(results, findings, overall.culprit, arena);
    if (!told || overall.culprit_is_small)
        return overall;
    const char *exits = imported_exits_with_gap(results, findings, "gap-told-exits", arena);
    told = exits ? exits : told;
    overall.sentence = arena_printf(arena, "%s. What is supported is small beside that: %c%s", capitalised(told, arena),
                                    finding_words(overall.culprit)[0], overall.sentence + 1);
    overall.culprit_is_small = true;
    return overall;
}

struct overall with_imported(struct overall overall, const struct findings *findings, const struct results *results,
                             struct arena *arena)
{
    overall = with_contradiction(overall, findings, results, arena);
    overall = with_told_gap(overall, findings, results, arena);
    const char *lead = results->stalls ? NULL : imported_lead_words(results, overall.culprit, arena);
    if (lead)
        overall.sentence = arena_printf(arena, "%s. %s", capitalised(lead, arena), overall.sentence);
    const char *hot = results->stalls ? NULL : imported_hot_beside(results, overall.culprit, overall.sentence, arena);
    if (hot)
        overall.sentence = arena_printf(arena, "%s %s.", overall.sentence, hot);
    const char *looks = imported_looks_words(results, arena);
    if (looks)
        overall.sentence = arena_printf(arena, "%s %s.", overall.sentence, looks);
    return overall;
}
