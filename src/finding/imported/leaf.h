/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where do imported top-down metrics lead, whatever cause is certain? Internal to finding. */
#ifndef PLUMB_FINDING_IMPORTED_LEAF_H
#define PLUMB_FINDING_IMPORTED_LEAF_H

#include "analyse/imported_pair.h"
#include "finding/hypothesis.h"

struct imported_leaf {
    /* "by a.txt … tma_core_bound is 54 %: …"; NULL: nothing is flagged, or the culprit is most of it */
    const char *words;
    bool is_of_memory;  /* it is waiting for memory */
    const char *advice; /* how to learn which part of it; NULL: its parts were imported, or nothing prints them */
};

/* The deepest flagged class, where the culprit (NULL: there is none) is far less than that. Owner: arena. */
struct imported_leaf imported_leaf_of(const struct results *results, const struct findings *findings,
                                      const struct finding *culprit, struct arena *arena);
/*
 * "sgemm has 99 % of the samples …, first at …": where a profile says that most of it is; NULL: none does. The line is
 * the one with most samples; is_of_memory: of those that read memory, since that is what it waits for. Owner: arena.
 */
const char *imported_hot_words(const struct results *results, bool is_of_memory, struct arena *arena);
/* The same, where the sentence doesn't name that function already; culprit: may be NULL. Owner: arena. */
const char *imported_hot_beside(const struct results *results, const struct finding *culprit, const char *sentence,
                                struct arena *arena);
/* By how much imported runs differ, where that is as much as is asked about; NULL: they don't. Owner: arena. */
const char *imported_gap_words(const struct results *results, struct arena *arena);
/* That the only two timed runs differ by no more than they spread; NULL: they don't, or not told. Owner: arena. */
const char *imported_noise_words(const struct results *results, struct arena *arena);
/*
 * What imported_gap_words says, where the only two runs differ by far more than the culprit returns; NULL: they don't.
 * Owner: arena.
 */
const char *imported_gap_beyond(const struct results *results, const struct finding *culprit, struct arena *arena);
/*
 * What tables contradict one another in, where one of them says more of it than the culprit (NULL: there is none) has
 * at least; NULL: they don't. Owner: arena.
 */
const char *imported_contradiction(const struct findings *findings, const struct finding *culprit, struct arena *arena);
/*
 * The gap that sentences tell, where the culprit and whatever else is supported are far less than that; NULL: they
 * aren't, or none is told. The same for what is open. Owner: arena.
 */
const char *imported_gap_told(const struct results *results, const struct findings *findings,
                              const struct finding *culprit, struct arena *arena);
const char *imported_gap_told_open(const struct results *results, const struct findings *findings,
                                   const struct finding *culprit, struct arena *arena);
/*
 * That the faster of two runs executes less, or ran at a higher clock, where that is most of what they differ by and
 * the culprit (NULL: there is none) isn't of that; NULL. Owner: arena.
 */
const char *imported_lead_words(const struct results *results, const struct finding *culprit, struct arena *arena);
/* The faster of two runs executes less, and is the one with wide vectors, by cycles at a lowered clock. */
bool imported_wide_pays(const struct results *results);
/* What most of it is that two runs differ by; FACTOR_COUNT: they don't, or not told. */
enum imported_factor imported_differ_by(const struct results *results);
/* What to count next where two runs differ by the cycles that each instruction takes; NULL: they don't. */
const char *imported_rate_advice(const struct results *results);

#endif
