/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a trial that somebody told of says: a cause that was taken away without effect is none, and one whose absence
 * closed the gap is.
 *
 * By words, so never surer than LOW by itself. A trial that changed two things at once supports their common finding
 * and leaves open which. How much it returned decides where somebody told that.
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/imported/trial/attempts.h"
#include "finding/imported/trial/effect.h"
#include "finding/imported/trial/kinds.h"
#include "finding/imported/trial/say.h"
#include "finding/wording.h"

#include <string.h>

static void leave_to_chance(const struct results *results, struct finding *finding, const struct told_trial *trial)
{
    struct value spread = VALUE_SHARE("spread", interval_exactly(imported_spread_of(results->imported).value));
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-trial", VALUE_TEXT("sentence", trial->sentence));
    finding_set(finding, reason, "told-spread", VALUE_TEXT("sentence", trial->sentence),
                VALUE_SHARE("gain", trial_returned(results->told, trial)), spread);
}

/* Whatever a sentence says that wasn't understood: as few as were counted can't cost more. */
static bool is_counted_out(const struct results *results, const struct finding *finding)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    counted.verdict = VERDICT_UNDECIDED;
    return imported_count_test(results, &counted) && counted.verdict == VERDICT_RULED_OUT;
}

/* Is there a guest, so that "on the host" is beneath it? */
static bool has_guest(const struct results *results)
{
    const struct surroundings *machine = results->surroundings;
    return results->told->names_guest || results->guest || trial_exits_table(results->imported, 0) ||
           (machine && machine->is_guest);
}

/* Where there is no guest, the host is the machine itself. */
static const struct told_trial *without_host(const struct results *results, const struct told_trial *trial,
                                             struct told_trial *copy)
{
    bool has_sides = trial->treatment == TREATMENT_PAGES || trial->treatment == TREATMENT_NO_HUGE_PAGES;
    if (!has_sides || !trial->on_host || has_guest(results))
        return trial;
    *copy = *trial;
    copy->on_host = false;
    return copy;
}

bool imported_trial_test(const struct results *results, struct finding *finding)
{
    const struct told *told = results->told;
    struct told_trial copy;
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (!trial)
        return false;
    trial = without_host(results, trial, &copy);
    finding->is_estimate = false;
    finding->remedy = NULL;
    if (trial->treatment == TREATMENT_NO_HUGE_PAGES)
        return trial_pages_off_test(results, finding, trial);
    if (!contrary && trial->treatment == TREATMENT_PAGES &&
        trial_effect_kind(told, trial, results->effect) != EFFECT_NONE)
        contrary = trial_pages_off(results);
    if (contrary) {
        trial_leave_open(finding, "told-contrary", trial);
        trial_say(finding, contrary, WEIGHT_CONTEXT);
        return true;
    }
    if (trial_is_within_spread(results, trial)) {
        leave_to_chance(results, finding, trial);
        return true;
    }
    const char *unread = told_unread_of(told, trial->treatment);
    if (unread && is_counted_out(results, finding))
        return false;
    if (unread && strncmp(trial->sentence, "tried:", 6) != 0) { /* which says it in our own form */
        trial_leave_open(finding, "told-unread", trial);
        finding_set(finding, reason, "told-unread", VALUE_TEXT("sentence", unread));
        return true;
    }
    const char *outlasted = told_outlasted(told, trial);
    if (outlasted && trial_effect_kind(told, trial, results->effect) != EFFECT_NONE) {
        trial_leave_open(finding, "told-outlasted", &(struct told_trial){.sentence = outlasted});
        trial_say(finding, trial, WEIGHT_CONTEXT);
        return true;
    }
    if (trial->treatment == TREATMENT_NARROW && trial_effect_kind(told, trial, results->effect) != EFFECT_NONE)
        return false; /* what was counted tells more */
    if (trial_is_partial(told, trial)) {
        trial_leave_open(finding, "told-shrank", trial);
        return true;
    }
    switch (trial->treatment) {
    case TREATMENT_PAGES:
        return trial_pages_test(results, told, finding, trial);
    case TREATMENT_TICK:
        return trial_tick_test(results, told, finding, trial);
    case TREATMENT_NARROW:
        trial_rule_out(results, told, finding, trial);
        return true;
    default:
        return trial_change_test(results, told, finding, trial);
    }
}

const char *imported_trial_of_none(const struct results *results, size_t index, struct arena *arena)
{
    const struct told *told = results->told;
    bool is_one = told && index < told->trial_count;
    for (size_t at = 0; at < trial_attempt_count && is_one; at++)
        is_one = trial_attempts[at].treatment != told->trials[index].treatment;
    if (!is_one || trial_effect_kind(told, &told->trials[index], results->effect) == EFFECT_NONE ||
        trial_is_within_spread(results, &told->trials[index]))
        return NULL;
    struct value values[] = {VALUE_TEXT("change", told_change_name(told->trials[index].treatment)),
                             VALUE_TEXT("sentence", told->trials[index].sentence),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", "trial-of-none"), values, array_count(values));
}

/* What was tried by no name that is known returned as much as is asked about, and more than chance. */
static bool is_telling(const struct results *results, const struct told_tried *tried)
{
    const struct told_trial trial = {
        .treatment = TREATMENT_COUNT, .outcome = OUTCOME_FASTER, .number = tried->gain, .sentence = tried->sentence};
    return tried->gain.low >= results->effect && !trial_is_within_spread(results, &trial);
}

const char *imported_unnamed_words(const struct results *results, size_t index, const char *key, struct arena *arena)
{
    const struct told *told = results->told;
    if (!told || index >= told->unnamed_count || !is_telling(results, &told->unnamed[index]))
        return NULL;
    struct value values[] = {VALUE_SHARE("gain", told->unnamed[index].gain),
                             VALUE_TEXT("what", told->unnamed[index].is_of_latency ? "latency" : "time"),
                             VALUE_TEXT("sentence", told->unnamed[index].sentence),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    return wording_fill(arena, wording_find("verdict", key), values, array_count(values));
}

size_t imported_unnamed_most(const struct results *results)
{
    const struct told *told = results->told;
    size_t most = UNNAMED_MOST;
    for (size_t at = 0; told && at < told->unnamed_count; at++)
        if (is_telling(results, &told->unnamed[at]) &&
            (most == UNNAMED_MOST || told->unnamed[at].gain.mid > told->unnamed[most].gain.mid))
            most = at;
    return most;
}

/* A trial of it that changed nothing, and may have failed although the cause is there; NULL: there is none. */
static const char *failed_trial(const struct results *results, enum treatment treatment)
{
    const struct told *told = results->told;
    for (size_t at = 0; at < told->trial_count; at++)
        if (told->trials[at].treatment == treatment &&
            trial_effect_kind(told, &told->trials[at], results->effect) == EFFECT_NONE)
            return told->trials[at].sentence;
    return NULL;
}

/* Why a sentence of this attempt leaves the cause open, and which it is; NULL: none does. */
static const char *open_key(const struct results *results, const struct attempt *attempt, const char **ret_sentence)
{
    if ((*ret_sentence = told_unread_of(results->told, attempt->treatment)))
        return "told-not-understood";
    bool of_faults = attempt->treatment == TREATMENT_NO_HUGE_PAGES && strcmp(attempt->id, "page-faults") == 0;
    const struct told_trial *off = of_faults ? trial_pages_off(results) : NULL;
    if (off) {
        *ret_sentence = off->sentence;
        return "told-pages-off-unseen";
    }
    const struct told_trial any = {.treatment = attempt->treatment};
    if ((*ret_sentence = told_outlasted(results->told, &any)))
        return "told-outlasted";
    *ret_sentence = attempt->how & TRIAL_MAY_FAIL ? failed_trial(results, attempt->treatment) : NULL;
    return *ret_sentence ? "told-failed" : NULL;
}

bool imported_unread_test(const struct results *results, struct finding *finding)
{
    const char *key = NULL, *sentence = NULL;
    for (size_t at = 0; at < trial_attempt_count && !key; at++)
        if (finding_is(finding, trial_attempts[at].id) &&
            trial_is_of_cause(results, finding, trial_attempts[at].treatment))
            key = open_key(results, &trial_attempts[at], &sentence);
    if (!key)
        return false;
    finding->is_estimate = false;
    finding->remedy = NULL;
    trial_leave_open(finding, key, &(struct told_trial){.sentence = sentence});
    return true;
}

bool imported_narrow_test(const struct results *results, struct finding *finding)
{
    const struct told_trial *contrary, *trial = trial_for(results, finding, &contrary);
    if (!trial || trial->treatment != TREATMENT_NARROW)
        return false;
    finding->is_estimate = false;
    finding->remedy = NULL;
    if (imported_clock_test(results, finding))
        trial_say(finding, trial, WEIGHT_FOR);
    else
        trial_leave_open(finding, "told-narrow", trial);
    return true;
}
