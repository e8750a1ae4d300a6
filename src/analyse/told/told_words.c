/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- one word of a group ---- */

static const char *first_of(enum words group)
{
    return words_text + words_begin[group];
}

static const char *next_of(const char *entry)
{
    return entry + strlen(entry) + 1;
}

bool word_is_number(struct view word)
{
    word = view_skip(word, word.length > 1 && word.text[0] == '#');
    return word.length && isdigit((unsigned char)word.text[0]);
}

static bool is_year(struct view word)
{
    return word.length == 4 && (view_starts(word, "19") || view_starts(word, "20")) &&
           isdigit((unsigned char)word.text[2]) && isdigit((unsigned char)word.text[3]);
}

/* What stands for many words; false: the entry is none of these. */
static bool is_kind(const char *entry, struct view word, bool *ret_is)
{
    switch (entry[0]) {
    case KIND_NUMBER:
        *ret_is = word_is_number(word);
        return true;
    case KIND_PATH:
        *ret_is = view_find(word, "/") >= 0;
        return true;
    case KIND_YEAR:
        *ret_is = is_year(word);
        return true;
    case KIND_END:
        *ret_is = !word.length;
        return true;
    default:
        return false;
    }
}

struct view word_at(const char *place)
{
    struct view rest = view_of(place);
    return view_word(&rest);
}

bool text_starts(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

/* Before the blank that ends a whole word. */
static size_t entry_length(const char *entry)
{
    size_t length = strlen(entry);
    return length - (entry[length - 1] == ' ');
}

static const char *entry_end(const char *place, const char *entry)
{
    struct view word = {place, strcspn(place, " ")};
    bool is = false;
    if (is_kind(entry, word, &is))
        return is ? place + word.length : NULL;
    return text_starts(place, entry) ? place + entry_length(entry) : NULL;
}

bool word_is(struct view word, enum words group)
{
    for (const char *entry = first_of(group); *entry; entry = next_of(entry)) {
        size_t length = entry_length(entry);
        bool is = false, whole = entry[length] == ' ';
        if (is_kind(entry, word, &is)
                ? is
                : (whole ? word.length == length : word.length >= length) && strncasecmp(word.text, entry, length) == 0)
            return true;
    }
    return false;
}

struct view word_back(const char *plain, const char **place)
{
    const char *end = *place;
    while (end > plain && end[-1] == ' ')
        end--;
    const char *begin = end;
    while (begin > plain && begin[-1] != ' ')
        begin--;
    *place = begin;
    return (struct view){begin, (size_t)(end - begin)};
}

bool has_word(struct view text, struct view word)
{
    for (struct view here; (here = view_word(&text)).length;)
        if (here.length == word.length && memcmp(here.text, word.text, word.length) == 0)
            return true;
    return false;
}

/* ---- words in a sentence ---- */

/* From here on; plain: where the sentence begins. */
static const char *text_next(const char *plain, const char *from, const char *words)
{
    for (const char *at = strstr(from, words); at; at = strstr(at + 1, words))
        if (at == plain || !is_of_word(at[-1]) || !is_of_word(words[0]))
            return at;
    return NULL;
}

const char *plain_find(const char *plain, enum words group)
{
    for (const char *entry = first_of(group); *entry; entry = next_of(entry)) {
        const char *place = text_next(plain, plain, entry);
        if (place)
            return place;
    }
    return NULL;
}

bool plain_has(const char *plain, enum words group)
{
    return plain_find(plain, group) != NULL;
}

bool piece_has(struct view piece, enum words group)
{
    struct plain_sentence plain;
    plain_sentence_of(&plain, piece);
    return plain_has(plain.text, group);
}

const char *words_at(const char *place, enum words group)
{
    const char *end = NULL;
    place += strspn(place, " ");
    for (const char *entry = first_of(group); *entry && !end; entry = next_of(entry))
        end = entry_end(place, entry);
    return end;
}

bool words_end(const char *plain, const char *place, enum words group)
{
    while (place > plain && place[-1] == ' ')
        place--;
    for (const char *entry = first_of(group); *entry; entry = next_of(entry)) {
        size_t length = entry_length(entry);
        if ((size_t)(place - plain) >= length && memcmp(place - length, entry, length) == 0)
            return true;
    }
    return false;
}

struct match match_in(const char *plain, enum words group)
{
    return (struct match){.plain = plain, .entry = first_of(group), .from = plain};
}

bool match_next(struct match *match)
{
    for (; *match->entry; match->entry = next_of(match->entry), match->index++, match->from = match->plain) {
        match->begin = text_next(match->plain, match->from, match->entry);
        if (!match->begin)
            continue;
        match->end = match->begin + entry_length(match->entry);
        match->from = match->begin + 1;
        return true;
    }
    return false;
}

/* ---- rules ---- */

static bool holds_ahead(const struct word_rule *rule, const struct match *match)
{
    const char *place = match->begin;
    struct view word = word_back(match->plain, &place);
    while (word.length && rule->skip_ahead && word_is(word, rule->skip_ahead))
        word = word_back(match->plain, &place);
    struct view further = word_back(match->plain, &place);
    return (!rule->ahead || word_is(word, rule->ahead)) && !(rule->not_ahead && word_is(word, rule->not_ahead)) &&
           (!rule->further || word_is(further, rule->further)) &&
           !(rule->not_further && word_is(further, rule->not_further));
}

static bool holds_behind(const struct word_rule *rule, const char *place)
{
    for (const char *end; rule->skip_behind && (end = words_at(place, rule->skip_behind));)
        place = end;
    if (rule->not_behind && words_at(place, rule->not_behind))
        return false;
    bool found = !rule->behind;
    for (unsigned words = 0; !found && words < (rule->within ? rule->within : 1u); words++) {
        place += strspn(place, " ");
        if (rule->within && *place == ',')
            break;
        found = words_at(place, rule->behind);
        place += strcspn(place, " ");
    }
    return found;
}

static bool rule_holds(const struct word_rule *rule, const char *plain)
{
    for (struct match match = match_in(plain, rule->word); match_next(&match);) {
        const char *earlier = rule->earlier ? plain_find(plain, rule->earlier) : plain;
        if (earlier && earlier <= match.begin && !(rule->not_later && plain_has(match.end, rule->not_later)) &&
            holds_ahead(rule, &match) && holds_behind(rule, match.end))
            return true;
    }
    return false;
}

bool rules_hold(const char *plain, const struct word_rule *rules, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (rule_holds(&rules[at], plain))
            return true;
    return false;
}

/* ---- clauses ---- */

const char *clause_end(const char *place, enum words joints, const char **ret_next)
{
    const char *nearest = place + strlen(place);
    *ret_next = nearest;
    for (const char *entry = first_of(joints); *entry; entry = next_of(entry)) {
        const char *joint = text_next(place, place, entry);
        if (joint && joint < nearest) {
            nearest = joint;
            *ret_next = joint + entry_length(entry);
        }
    }
    return nearest;
}
