/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which parts of a document are of what is asked about, and which does it give itself to others, to a plan or to
 * another thing, or take back?
 *
 * By the words of headings, of the paragraph above a table or a list, of a column and of the paragraph that stands
 * beside a table or a trial (data/told_words.txt, [heading.…]), before anything is read from it: whatever kind of table
 * it is. Does not support: what only the sense tells.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_OURS_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_OURS_H

#include "base/arena.h"
#include "base/text.h"

struct document_parts {
    struct view ours;
    struct view others; /* with the headings that say so; length 0: there are none */
};

/* Lines that are of the other part are empty ones. Owner: text, or arena. */
struct document_parts document_parts_of(struct view text, struct arena *arena);

#endif
