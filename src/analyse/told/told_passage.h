/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sentences of a text belong together: a change and what came of it, two states that are compared, two runs with
 * and without something?
 *
 * Two are joined only where the second refers to the first, in words ("it made no difference") or by amounts that can
 * be of nothing else ("Runtime 41.2 s", beside two states), and tells of no other event. One that takes the change back
 * goes with them, since it may say otherwise.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_PASSAGE_H
#define PLUMB_ANALYSE_TOLD_TOLD_PASSAGE_H

#include "analyse/told/told_trial.h"
#include "base/text.h"

/* As told_sentence (analyse/told/told_sentence), with those behind it that belong to it. context: of the text. */
struct view told_passage(struct view *text, const struct told_context *context);
/* It names the file of a setting. */
bool told_mentions_setting(struct view sentence);
/* "Set it to always": it belongs to the sentence that named the file of a setting, if there are others between. */
bool told_puts_setting(struct view sentence);

#endif
