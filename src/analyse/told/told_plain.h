/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is a sentence put so that words can be looked for in it, whatever its signs and letters' case?
 *
 * Lower case, one blank between words, before the first and behind the last; marks between clauses are " , ". By how
 * much a number may be off ("± 0.1 s") is left out.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_PLAIN_H
#define PLUMB_ANALYSE_TOLD_TOLD_PLAIN_H

#include "base/text.h"

enum { SENTENCE_MOST = 600 };

struct plain_sentence {
    char text[5 * SENTENCE_MOST + 8]; /* each sign becomes five at most */
};

/* Of a longer one its beginning. */
void plain_sentence_of(struct plain_sentence *ret_plain, struct view sentence);
/* "THP? -> enabled it", "THP? Enabled it": how long the mark is that joins a question to its answer; 0: none does. */
size_t told_answered_length(const char *text, size_t length);
/* Of names: letters, digits and "_". */
bool is_of_word(char c);

#endif
