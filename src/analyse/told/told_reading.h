/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What does one sentence, or what was joined to one, say of a change and of how it came out; and is that doubted? */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_READING_H
#define PLUMB_ANALYSE_TOLD_TOLD_READING_H

#include "analyse/told/told_change.h"
#include "analyse/told/told_outcome.h"
#include "analyse/told/told_plain.h"

struct reading {
    struct view sentence;
    struct plain_sentence plain;
    enum change_reading change;
    enum treatment treatment; /* TREATMENT_COUNT: it names no change */
};

void reading_of(struct reading *ret_reading, struct view sentence);
/* It tells of what may be, or of what others saw. */
bool reading_is_doubted(const struct reading *reading);
/* Somebody did something ("we switched to", "trial 1: "), rather than may, or had it so. */
bool reading_is_done(const struct reading *reading);
enum outcome_reading reading_outcome(const struct reading *reading, enum outcome *ret_outcome);
bool reading_tells_outcome(const struct reading *reading, enum outcome_reading how);

#endif
