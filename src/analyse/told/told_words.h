/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words stand in a sentence, whatever its signs and letters' case? */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_WORDS_H
#define PLUMB_ANALYSE_TOLD_TOLD_WORDS_H

#include "base/text.h"

enum { SENTENCE_MOST = 600 };

/*
 * A sentence to look for words in: lower case, one blank between words, before the first and behind the last; marks
 * between clauses are " , ".
 */
struct plain_sentence {
    char text[5 * SENTENCE_MOST + 8]; /* each sign becomes five at most */
};

/* Of a longer one its beginning. */
void plain_sentence_of(struct plain_sentence *ret_plain, struct view sentence);

/* Of plain sentences. Lists of words end in NULL. */
/* Where the words begin a word; NULL: nowhere. */
const char *plain_find(const char *plain, const char *words);
bool plain_has(const char *plain, const char *const *words); /* any of them */
bool plain_starts(const char *plain, const char *words);

/* As plain_has, of a piece of one, which ends where it ends. */
bool piece_has(struct view piece, const char *const *words);
/* Whether this one word is one of them. */
bool word_is(struct view word, const char *const *words);
/* The word that ends before this place, which is moved to its beginning; empty: there is none. */
struct view word_back(const char *plain, const char **place);
/* Of names: letters, digits and "_". */
bool is_of_word(char c);

#endif
