/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cause in a sentence, with what it returns and what stands beside it. */
#ifndef PLUMB_FINDING_VERDICT_DESCRIBED_H
#define PLUMB_FINDING_VERDICT_DESCRIBED_H

#include "finding/hypothesis.h"

/* Its headline, or its title. Owner: the finding's. */
const char *finding_words(const struct finding *finding);
/* All texts below: owner arena. */
const char *capitalised(const char *text, struct arena *arena);
/* As capitalised, of our own words alone: a name at the start keeps its case. */
const char *sentence_case(struct arena *arena, const char *text);
/* Its part is large: what it returns, and what weighs as much, is larger or stays open. */
const char *describe_large(const struct finding *culprit, const struct findings *findings,
                           const struct results *results, struct arena *arena);
/* A small cause, or the lesser one: first where the time goes, then that cause, as what it is. */
const char *describe_small(const struct finding *culprit, const struct findings *findings,
                           const struct results *results, struct arena *arena);

#endif
