/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which words stand in a sentence, whatever its signs and letters' case, and what stands beside them?
 *
 * Words are known by their groups, which data/told_words.txt lists and describes: [doubt.supposing] there is
 * WORDS_DOUBT_SUPPOSING here (told_groups.h, generated). What one word says of others beside it is a rule; a question
 * that a sentence is asked is mostly a table of rules. Does not support: other languages than English.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_WORDS_H
#define PLUMB_ANALYSE_TOLD_TOLD_WORDS_H

#include "analyse/told/told_groups.h"
#include "analyse/told/told_plain.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- of plain sentences (analyse/told/told_plain) ---- */

/* Where one of the group stands first; of several the one that the group has first. NULL: none does. */
const char *plain_find(const char *plain, enum words group);
bool plain_has(const char *plain, enum words group);
/* As plain_has, of a piece of one, which ends where it ends. */
bool piece_has(struct view piece, enum words group);
/* One of the group stands here, or behind blanks: where it ends, before the blank that follows it. NULL: none does. */
const char *words_at(const char *place, enum words group);
/* What stands before this place ends in one of the group. */
bool words_end(const char *plain, const char *place, enum words group);
bool text_starts(const char *text, const char *words);

/* Each place where one of a group stands. */
struct match {
    const char *begin, *end; /* before the blank behind it */
    unsigned index;          /* of the word, in its group */
    const char *plain, *entry, *from;
};
struct match match_in(const char *plain, enum words group);
/* False: there is no more. */
bool match_next(struct match *match);

/* ---- single words ---- */

/* Of any case. An empty one is what a group has as <end>. */
bool word_is(struct view word, enum words group);
/* The word that ends before this place, which is moved to its beginning; empty: there is none. */
struct view word_back(const char *plain, const char **place);
struct view word_at(const char *place);
bool word_is_number(struct view word); /* it begins so: "41.2", "12x", "#2" */
/* As a word of its own. */
bool has_word(struct view text, struct view word);

/* ---- rules ---- */

/* A word, and what must or must not stand beside it. What isn't given (WORDS_NONE) isn't asked. */
struct word_rule {
    enum words word;
    enum words skip_ahead, ahead, not_ahead;    /* the word before it, or before those to skip */
    enum words further, not_further;            /* the word before that */
    enum words skip_behind, behind, not_behind; /* what follows it, or those to skip */
    unsigned char within;                       /* as many words behind it, in its clause; 0: the next */
    enum words earlier;                         /* anywhere before it */
    enum words not_later;                       /* anywhere behind it */
};

/* One of the rules holds somewhere in the sentence. */
bool rules_hold(const char *plain, const struct word_rule *rules, size_t count);

/* ---- clauses ---- */

/* Where the next clause begins behind this place, at one of the group's joints; the text's end: nowhere. */
const char *clause_end(const char *place, enum words joints, const char **ret_next);

#endif
