/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a trial decides a finding, in words. Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_TRIAL_SAY_H
#define PLUMB_FINDING_IMPORTED_TRIAL_SAY_H

#include "finding/hypothesis.h"

void trial_say(struct finding *finding, const struct told_trial *trial, enum weight weight);
void trial_rule_out(const struct results *results, const struct told *told, struct finding *finding,
                    const struct told_trial *trial);
/* key: of the reason's words. */
void trial_leave_open(struct finding *finding, const char *key, const struct told_trial *trial);
/*
 * The gap that the trial closed is what it returned, where somebody said how large that was; or by as much as it is
 * faster.
 */
void trial_decide_by_gap(const struct results *results, const struct told *told, struct finding *finding,
                         const struct told_trial *trial);
/* "the gap was gone" */
const char *trial_outcome_words(const struct told_trial *trial);

#endif
