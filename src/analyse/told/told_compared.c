/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_compared.h"

#include "analyse/told/told_change.h"
#include "analyse/told/told_words.h"

#include <string.h>

/* How long the names of both are, up to a verb, a mark or another part of the sentence; 0: these are no two things. */
static size_t names_length(const char *behind)
{
    enum { WORDS_MOST = 14 };
    struct view rest = view_of(behind), word;
    const char *end = behind;
    bool are_two = false;
    for (size_t words = 0; words < WORDS_MOST && (word = view_word(&rest)).length; words++) {
        if (word_is(word, WORDS_COMPARED_STATE) || word_is_number(word))
            return 0;
        if (word_is(word, WORDS_COMPARED_END))
            break;
        are_two |= word_is(word, WORDS_COMPARED_BOTH);
        end = word.text + word.length;
    }
    struct plain_sentence names;
    plain_sentence_of(&names, (struct view){behind, (size_t)(end - behind)});
    /* "between huge pages and small pages": of a trial, whatever it was done to */
    return are_two && !told_changes_in(names.text) ? (size_t)(end - behind) : 0;
}

void told_compared_cut(struct plain_sentence *ret_cut, const char *plain)
{
    size_t length = 0;
    const char *from = plain;
    for (struct match between = match_in(plain, WORDS_COMPARED_BETWEEN); match_next(&between);) {
        size_t names = between.begin >= from ? names_length(between.end) : 0;
        size_t ahead = (size_t)(between.begin - from);
        if (!names || length + ahead + sizeof(TOLD_COMPARED) >= sizeof(ret_cut->text))
            continue;
        memcpy(ret_cut->text + length, from, ahead);
        memcpy(ret_cut->text + length + ahead, TOLD_COMPARED, strlen(TOLD_COMPARED));
        length += ahead + strlen(TOLD_COMPARED);
        from = between.end + names;
    }
    size_t rest = strnlen(from, sizeof(ret_cut->text) - length - 1);
    memcpy(ret_cut->text + length, from, rest);
    ret_cut->text[length + rest] = '\0';
}
