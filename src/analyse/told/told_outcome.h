/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How did what a sentence tells of come out: did the slowness stay, go, or shrink?
 *
 * Read are phrases that hardly mean anything else, and clauses about a gap with the verb that stands in them ("and so
 * did the gap" takes the verb of the clause before). What may be, was asked, or was denied is not taken; of two answers
 * neither is. Does not support: what one sentence says of another (but analyse/told joins two), irony, other languages
 * than English.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_OUTCOME_H
#define PLUMB_ANALYSE_TOLD_TOLD_OUTCOME_H

#include "analyse/told/told_plain.h"

enum outcome {
    OUTCOME_STAYED, /* the gap, or the slowness */
    OUTCOME_GONE,
    OUTCOME_SHRANK, /* a part of it stayed */
    OUTCOME_FASTER, /* by as much as the sentence says */
    OUTCOME_COUNT
};

enum outcome_reading {
    OUTCOME_UNTOLD, /* it has no word of one */
    OUTCOME_READ,
    OUTCOME_UNCLEAR /* it has, and which isn't clear, or only what may be */
};

bool outcome_is_denied(const struct plain_sentence *plain);
/* The same, but for a clause that denies something else beside its amounts. */
bool outcome_amounts_are_denied(const struct plain_sentence *plain);
/* It tells of what may be, was asked, was denied, or was another's. */
bool outcome_is_doubtful(const struct plain_sentence *plain);
enum outcome_reading outcome_of(struct view sentence, const struct plain_sentence *plain, enum outcome *ret_outcome);

#endif
