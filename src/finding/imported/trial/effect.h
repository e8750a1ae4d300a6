/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What came of a trial: how much of the time it returned, and whether that is more than chance. Internal to
 * finding/imported.
 */
#ifndef PLUMB_FINDING_IMPORTED_TRIAL_EFFECT_H
#define PLUMB_FINDING_IMPORTED_TRIAL_EFFECT_H

#include "finding/hypothesis.h"

enum effect_kind { EFFECT_NONE, EFFECT_PART, EFFECT_ALL };

/* effect: the least share of the time that is asked about, 0..1. */
enum effect_kind trial_effect_kind(const struct told *told, const struct told_trial *trial, double effect);
/* How much of the time the trial returned; unknown: nobody told. */
struct interval trial_returned(const struct told *told, const struct told_trial *trial);
/* The same change, by how much faster it was with it: how large the gap was that a trial closed; NULL: none. */
const struct told_trial *trial_sized_by(const struct told *told, const struct told_trial *trial);
/*
 * The trial of this change that counts most for the host's or the guest's side; NULL: none. ret_contrary: another one
 * of the same that came out otherwise; NULL: none.
 */
const struct told_trial *trial_of_side(const struct told *told, enum treatment treatment, bool is_host, double effect,
                                       const struct told_trial **ret_contrary);
/* Huge pages on that side alone, where both sides together returned more than both added; NULL: there is none. */
const struct told_trial *trial_outdone(const struct told *told, bool is_host);
/* What came back is of the time that requests take each. */
bool trial_is_of_latency(const struct told *told, const struct told_trial *trial);
/* A smaller gap than there was: the cause was a part of it, and how much of it isn't told. */
bool trial_is_partial(const struct told *told, const struct told_trial *trial);
/* It is faster by less than what it is slower than another by. */
bool trial_is_less_than_gap(const struct told *told, const struct told_trial *trial);
/* It returned no more than runs of one thing differ by, as somebody measured beside it: that may be chance. */
bool trial_is_within_spread(const struct results *results, const struct told_trial *trial);

#endif
