/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/imported/trial/effect.h"
#include "finding/imported/trial/kinds.h"
#include "finding/imported/trial/say.h"

static const char *where_words(const struct told_trial *trial)
{
    static const char *const words[2][2] = {{"", " in the guest"}, {" on the host", " on host and guest"}};
    return words[trial->on_host][trial->on_guest];
}

static void say_there(struct finding *finding, const char *sentence)
{
    if (sentence)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-there", VALUE_TEXT("sentence", sentence));
}

/* The side that was tried first; the other where nobody says that it has them. */
static void advise_pages(const struct told *told, struct finding *finding, const struct told_trial *trial)
{
    bool has_sides = trial->on_host || trial->on_guest, guest_first = trial->on_guest && !trial->on_host;
    const char *there = guest_first ? told->host_pages_sentence : trial->on_guest ? NULL : told->guest_pages_sentence;
    const char *first = guest_first ? "told-advice-guest" : "told-advice-host",
               *second = guest_first ? "told-advice-host" : "told-advice-guest";
    finding_advise(finding, has_sides ? first : "told-advice", NO_VALUES);
    if (has_sides && !there)
        finding_advise(finding, second, NO_VALUES);
    if (has_sides)
        say_there(finding, there);
}

/* What each side returned by itself, where both together returned far more. False: neither was tried so. */
static bool say_both_needed(const struct told *told, struct finding *finding)
{
    const struct told_trial *host = trial_outdone(told, true), *guest = trial_outdone(told, false);
    const struct told_trial *first = guest ? guest : host;
    if (!first)
        return false;
    struct value values[] = {VALUE_SHARE("guest", trial_returned(told, first)),
                             VALUE_SHARE("host", trial_returned(told, host ? host : first))};
    const char *key = host && guest ? "told-both-needed" : guest ? "told-guest-alone" : "told-host-alone";
    finding_open_add(finding, key, values, array_count(values));
    trial_say(finding, first, WEIGHT_CONTEXT);
    if (host && guest)
        trial_say(finding, host, WEIGHT_CONTEXT);
    return true;
}

static void support_pages(const struct results *results, const struct told *told, struct finding *finding,
                          const struct told_trial *trial)
{
    bool both = trial->on_host && trial->on_guest;
    struct imported_hot hot = imported_hot_of(results->imported);
    const char *function = told->function_count ? told->functions[0] : hot.listed ? hot.listed : hot.function;
    trial_decide_by_gap(results, told, finding, trial);
    trial_say(finding, trial, WEIGHT_FOR);
    trial_say_violations(results, finding);
    if (hot.line) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-line", VALUE_TEXT("line", hot.line),
                         VALUE_SHARE("share", interval_exactly(hot.line_share)), VALUE_TEXT("file", hot.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
        finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
        finding->subject = hot.line;
    }
    const char *loads = hot.line ? arena_printf(finding->arena, " ('%s')", hot.line) : "";
    finding_set(finding, headline, function ? "told-headline" : "told-change",
                VALUE_TEXT("function", function ? function : ""), VALUE_TEXT("loads", loads),
                VALUE_TEXT("title", finding->hypothesis->title),
                VALUE_TEXT("change", arena_printf(finding->arena, "%s%s", told_change_name(trial->treatment),
                                                  where_words(trial))),
                VALUE_TEXT("where", where_words(trial)), VALUE_TEXT("outcome", trial_outcome_words(trial)),
                VALUE_TEXT("origin", IMPORTED_WORDS));
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, "told-undecided", VALUE_TEXT("sentence", trial->sentence));
    bool needs_both = both && say_both_needed(told, finding);
    finding_set(finding, returner, needs_both ? "told-returner-both" : "told-returner", NO_VALUES);
    if (both && !needs_both)
        finding_leave_open(finding, "told-both", NO_VALUES);
    advise_pages(told, finding, trial);
    finding_set(finding, confirm, both && !needs_both ? "told-confirm-both" : "told-confirm", NO_VALUES);
}

bool trial_pages_test(const struct results *results, const struct told *told, struct finding *finding,
                      const struct told_trial *trial)
{
    bool both = trial->on_host == trial->on_guest, is_host = finding_is(finding, "host-small-pages");
    if (is_host && !trial->on_host && !trial->on_guest)
        return false; /* no word of a host */
    if (!both && is_host != trial->on_host) {
        if (trial_effect_kind(told, trial, results->effect) == EFFECT_NONE)
            return false;
        const char *there = is_host ? told->host_pages_sentence : told->guest_pages_sentence;
        trial_leave_open(finding, "told-other-side", trial);
        if (there)
            finding_set(finding, reason, "told-there", VALUE_TEXT("sentence", there));
        return true;
    }
    if (trial_effect_kind(told, trial, results->effect) == EFFECT_NONE)
        trial_rule_out(results, told, finding, trial);
    else if (both && is_host)
        trial_leave_open(finding, trial_outdone(told, true) ? "told-both-needed" : "told-both", trial);
    else
        support_pages(results, told, finding, trial);
    return true;
}

void imported_pages_there_beside(const struct results *results, struct finding *finding)
{
    const char *there = results->told->data_pages_sentence;
    bool of_walks = imported_number(results->imported, IMPORTED_METRICS, "tma_dtlb_load", NULL).known;
    if (!there || !finding_is(finding, "small-pages") || finding->verdict != VERDICT_UNDECIDED || of_walks ||
        finding->pointed > 0 || !(finding->imported_kinds & 1u << ORIGIN_COUNTERS))
        return;
    finding->recoverable = (struct interval){0};
    say_there(finding, there);
    finding_set(finding, reason, "told-data-there", VALUE_TEXT("sentence", there));
}

const struct told_trial *trial_pages_off(const struct results *results)
{
    const struct told_trial *contrary,
        *trial = trial_of_side(results->told, TREATMENT_NO_HUGE_PAGES, false, results->effect, &contrary);
    bool helped = trial && !contrary && trial_effect_kind(results->told, trial, results->effect) != EFFECT_NONE;
    return helped && !trial_is_within_spread(results, trial) ? trial : NULL;
}

/* Small pages hold up nothing that is better with them alone; whole huge ones may (imported_pages_off_beside). */
bool trial_pages_off_test(const struct results *results, struct finding *finding, const struct told_trial *trial)
{
    bool is_host = finding_is(finding, "host-small-pages");
    bool other_side = is_host ? !trial->on_host : trial->on_host && !trial->on_guest;
    if (finding_is(finding, "page-faults") || other_side || !trial_pages_off(results) ||
        told_unread_of(results->told, TREATMENT_PAGES))
        return false;
    finding->verdict = VERDICT_RULED_OUT;
    finding->by_trial = finding->is_trial_with = true;
    finding->of = OF_ELAPSED;
    finding->recoverable = (struct interval){0};
    trial_say(finding, trial, WEIGHT_FOR);
    finding_set(finding, reason, "told-pages-off", VALUE_TEXT("sentence", trial->sentence));
    return true;
}

void imported_pages_off_beside(const struct results *results, struct finding *finding)
{
    const struct told_trial *trial = finding_is(finding, "page-faults") ? trial_pages_off(results) : NULL;
    if (!trial || finding->verdict != VERDICT_SUPPORTED)
        return;
    trial_say(finding, trial, WEIGHT_FOR);
    finding_leave_open(finding, "told-pages-off-open", NO_VALUES);
    finding->advice_count = 0; /* which may be huge pages */
    finding_advise(finding, "told-pages-off-advice", NO_VALUES);
    finding_set(finding, confirm, "told-change-confirm", VALUE_TEXT("change", told_change_name(trial->treatment)));
}
