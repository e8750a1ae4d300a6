/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a sentence of a text end: at its mark, at an item of a list, at a message of a chat, at a blank line?
 *
 * Headings of Markdown and trials in plumb's own form are lines. Does not support: sentences across items of a list.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_SENTENCE_H
#define PLUMB_ANALYSE_TOLD_TOLD_SENTENCE_H

#include "base/text.h"

/* The next sentence of a text, trimmed, and skip it; empty at its end. */
struct view told_sentence(struct view *text);
/* It is one of a list: "- ", "+ ", "3. ", "3) ". */
bool told_is_item(struct view line);

#endif
