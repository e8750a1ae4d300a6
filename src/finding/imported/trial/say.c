/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/trial/say.h"

#include "finding/family.h"
#include "finding/imported/trial/effect.h"
#include "finding/imported/trial/kinds.h"

#include <string.h>

void trial_say(struct finding *finding, const struct told_trial *trial, enum weight weight)
{
    finding_evidence(finding, weight, ORIGIN_STATEMENT, "told-trial", VALUE_TEXT("sentence", trial->sentence));
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
}

void trial_rule_out(const struct results *results, const struct told *told, struct finding *finding,
                    const struct told_trial *trial)
{
    bool small = trial->outcome != OUTCOME_STAYED;
    struct interval returned = small ? trial_returned(told, trial) : (struct interval){0};
    finding->verdict = VERDICT_RULED_OUT;
    finding->by_trial = !small || trial_is_of_latency(told, trial);
    finding->of = OF_ELAPSED;
    finding->recoverable = finding->by_trial ? (struct interval){0} : returned;
    trial_say(finding, trial, WEIGHT_FOR);
    if (trial->treatment == TREATMENT_TICK)
        trial_say_exits(results, finding);
    finding_set(finding, reason,
                !small              ? "told-stayed"
                : finding->by_trial ? "told-small-latency"
                                    : "told-small",
                VALUE_TEXT("sentence", trial->sentence), VALUE_SHARE("gain", returned));
}

static bool is_said(const struct finding *finding, const char *sentence)
{
    bool found = false;
    for (size_t at = 0; at < finding->evidence_count && !found; at++)
        found = strstr(finding->evidence[at].text, sentence);
    return found;
}

void trial_leave_open(struct finding *finding, const char *key, const struct told_trial *trial)
{
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    if (!is_said(finding, trial->sentence))
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-trial",
                         VALUE_TEXT("sentence", trial->sentence));
    finding_set(finding, reason, key, VALUE_TEXT("sentence", trial->sentence));
}

void trial_decide_by_gap(const struct results *results, const struct told *told, struct finding *finding,
                         const struct told_trial *trial)
{
    struct interval returned = trial_returned(told, trial);
    finding->verdict = VERDICT_SUPPORTED;
    finding->of = OF_ELAPSED;
    finding->gain_unmeasured = !returned.known;
    finding->is_own_doing = true; /* somebody asked about this gap, whoever makes it */
    finding->recoverable = returned;
    if (!returned.known)
        return;
    if (returned.low < results->effect)
        finding->verdict = returned.high < results->effect ? VERDICT_RULED_OUT : VERDICT_UNDECIDED;
    if (trial_is_of_latency(told, trial)) {
        finding->gain_unmeasured = true;
        finding->recoverable = (struct interval){0};
        finding_leave_open(finding, "told-latency", VALUE_SHARE("gain", returned),
                           VALUE_TEXT("change", told_change_name(trial->treatment)));
    }
    if (trial->outcome == OUTCOME_SHRANK || trial_is_less_than_gap(told, trial))
        finding_leave_open(finding, "told-rest", VALUE_TEXT("change", told_change_name(trial->treatment)));
    if (trial_sized_by(told, trial))
        trial_say(finding, trial_sized_by(told, trial), WEIGHT_FOR);
    if (trial->outcome != OUTCOME_FASTER && told->gap_sentence)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "told-gap",
                         VALUE_TEXT("sentence", told->gap_sentence));
}

const char *trial_outcome_words(const struct told_trial *trial)
{
    static const char *const words[OUTCOME_COUNT] = {[OUTCOME_GONE] = "the gap was gone",
                                                     [OUTCOME_FASTER] = "it was faster",
                                                     [OUTCOME_SHRANK] = "a part of the gap was gone",
                                                     [OUTCOME_STAYED] = "the gap stayed"};
    static const char *const of_spikes[OUTCOME_COUNT] = {[OUTCOME_GONE] = "what was slower at times was gone",
                                                         [OUTCOME_SHRANK] =
                                                             "a part of what was slower at times was gone",
                                                         [OUTCOME_STAYED] = "what was slower at times stayed so"};
    return trial->is_of_spikes && of_spikes[trial->outcome] ? of_spikes[trial->outcome] : words[trial->outcome];
}
