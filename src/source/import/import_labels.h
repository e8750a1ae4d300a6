/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of two columns, a label and what was measured, as sentences: what stands beside one another ("plain guest:
 * 29.5 s, TD: 41.2 s."), and, of a label that goes on where another ends ("TD + THP"), the trial of what it adds.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_LABELS_H
#define PLUMB_SOURCE_IMPORT_IMPORT_LABELS_H

#include "base/arena.h"
#include "base/text.h"

/* Of Markdown and comma-separated; length 0: there are none. Owner: arena. */
struct view import_labels_sentences(struct view text, struct arena *arena);

#endif
