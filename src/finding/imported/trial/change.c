/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported_window.h"
#include "finding/family.h"
#include "finding/imported/evidence.h"
#include "finding/imported/trial/attempts.h"
#include "finding/imported/trial/effect.h"
#include "finding/imported/trial/kinds.h"
#include "finding/imported/trial/say.h"
#include "finding/wording.h"

#include <math.h>

static const char *own_or(const struct finding *finding, const char *own, const char *common)
{
    return wording_find(finding->hypothesis->id, own) ? own : common;
}

/* It may have been another cause, but for a table of the system that has this one. */
static bool is_counted_too(const struct results *results, const struct told *told, struct finding *finding,
                           const struct told_trial *trial)
{
    struct finding counted = *finding;
    counted.evidence_count = counted.advice_count = counted.open_count = counted.imported_kinds = 0;
    if (!imported_system_test(results, &counted) || counted.verdict != VERDICT_SUPPORTED)
        return false;
    *finding = counted;
    trial_decide_by_gap(results, told, finding, trial);
    trial_say(finding, trial, WEIGHT_FOR);
    return true;
}

/* A class says that it is less than is asked about: with that goes that its remedy had no effect. */
static bool is_small_by_class(const struct results *results, const struct finding *finding)
{
    struct finding classed = *finding;
    classed.evidence_count = classed.advice_count = classed.open_count = classed.imported_kinds = 0;
    classed.verdict = VERDICT_UNDECIDED;
    return imported_metric_test(results, &classed) && classed.verdict == VERDICT_RULED_OUT;
}

/* No run that was counted kept more than one CPU busy: any number of threads is more. */
static bool is_of_one_cpu(const struct imported *imported)
{
    static const double ALONE_MOST = 1.5;
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    double most = 0;
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        struct measured busy = measured_ratio(imported_arm_cpu_s(&arms[at]), imported_arm_length(&arms[at]));
        most = busy.known ? fmax(most, busy.value) : most;
    }
    return most > 0 && most < ALONE_MOST;
}

/* As much as it returned is all that the smaller of two caches can be; which it was isn't told. */
static void leave_to_either(const struct told *told, struct finding *finding, const struct told_trial *trial)
{
    struct interval returned = trial_returned(told, trial);
    trial_leave_open(finding, "told-either-cache", trial);
    finding->of = OF_ELAPSED;
    if (returned.known)
        finding->recoverable = interval_of(0, returned.mid / 2, returned.high);
}

/* A change that takes one cause away and has no sides. */
bool trial_change_test(const struct results *results, const struct told *told, struct finding *finding,
                       const struct told_trial *trial)
{
    /* a change that may fail although the cause is there */
    const char *stays_open = wording_find(finding->hypothesis->id, "told-stays-open");
    bool without_effect = trial_effect_kind(told, trial, results->effect) == EFFECT_NONE;
    if (without_effect && trial->treatment == TREATMENT_INTERLEAVE)
        return false; /* of interleaved memory most is on another node, too */
    if (without_effect && trial_attempt_is(finding, trial->treatment, TRIAL_MAY_FAIL)) {
        trial_say(finding, trial, WEIGHT_CONTEXT);
        finding->imported_kinds = 0;
        return false;
    }
    if (without_effect && stays_open) {
        if (is_small_by_class(results, finding))
            return false;
        trial_leave_open(finding, "told-stays-open", trial);
        return true;
    }
    if (without_effect) {
        trial_rule_out(results, told, finding, trial);
        return true;
    }
    if (trial_is_of_both_caches(results, finding, trial)) {
        leave_to_either(told, finding, trial);
        return true;
    }
    bool are_more = trial->treatment == TREATMENT_SET_THREADS && is_of_one_cpu(results->imported);
    if (trial_attempt_is(finding, trial->treatment, TRIAL_UNSURE) && !are_more) {
        if (!is_counted_too(results, told, finding, trial))
            trial_leave_open(finding, trial->treatment == TREATMENT_MORE_CPUS ? "told-unsure-cpus" : "told-unsure",
                             trial);
        return true;
    }
    trial_decide_by_gap(results, told, finding, trial);
    trial_say(finding, trial, WEIGHT_FOR);
    finding_set(finding, headline, "told-change", VALUE_TEXT("title", finding->hypothesis->title),
                VALUE_TEXT("change", told_change_name(trial->treatment)),
                VALUE_TEXT("outcome", trial_outcome_words(trial)), VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, returner, "told-change-returner", VALUE_TEXT("change", told_change_name(trial->treatment)));
    if (finding->verdict != VERDICT_SUPPORTED)
        finding_set(finding, reason, trial->outcome == OUTCOME_SHRANK ? "told-shrank" : "told-undecided",
                    VALUE_TEXT("sentence", trial->sentence));
    if (trial->treatment == TREATMENT_INTERLEAVE)
        finding_leave_open(finding, "told-interleave", NO_VALUES);
    if (trial->treatment == TREATMENT_LESS_UNROLLING && (!(told->loop_bytes > 0) || finding_is(finding, "front-end")))
        finding_leave_open(finding, "told-loop-open", NO_VALUES);
    if (trial_attempt_is(finding, trial->treatment, TRIAL_OPENS))
        finding_leave_open(finding, "told-open", NO_VALUES);
    finding_advise(finding, own_or(finding, "told-advice", "told-change-advice"),
                   VALUE_TEXT("change", told_change_name(trial->treatment)));
    finding_set(finding, confirm, "told-change-confirm", VALUE_TEXT("change", told_change_name(trial->treatment)));
    return true;
}
