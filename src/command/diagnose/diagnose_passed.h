/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a sentence that was passed over, taken neither for a trial nor for one that wasn't understood: does it name a
 * change, or begin with something that was done, with a number or with how it came out, so that a reader who wrote of
 * a trial sees that it decided nothing?
 *
 * What may be, is planned or asked isn't listed, nor are headings. Does not support: changes that plumb knows no name
 * of, told as anything but the doing of it ("moving the interrupts").
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_PASSED_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_PASSED_H

#include "base/text.h"

/* It names a change that may have been made. */
bool passed_names_change(struct view sentence);
/* Why it is listed; NULL: it needn't be. behind_change: one before it in its paragraph named a change. */
const char *passed_why(struct view sentence, bool behind_change);

#endif
