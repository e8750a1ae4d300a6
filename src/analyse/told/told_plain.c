/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_plain.h"

#include "analyse/told/told_words.h"

#include <ctype.h>
#include <string.h>

size_t told_answered_length(const char *text, size_t length)
{
    static const char *const arrows[] = {"? -> ", "? => ", "? \xe2\x86\x92 ", "? \xe2\x87\x92 "};
    size_t found = 0;
    for (size_t at = 0; at < sizeof(arrows) / sizeof(arrows[0]) && !found; at++) {
        size_t size = strlen(arrows[at]);
        found = size <= length && memcmp(text, arrows[at], size) == 0 ? size : 0;
    }
    if (found || length < 2 || text[0] != '?' || text[1] != ' ')
        return found;
    struct view rest = {text + 2, length - 2}, verb = view_word(&rest), what = view_word(&rest);
    return word_is(verb, WORDS_SENTENCE_ANSWERING) && word_is(what, WORDS_SENTENCE_ANSWERED) ? 2 : 0;
}

bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* What of the text is to be put as one sign: its bytes, and what stands for them. */
static size_t sign_of(const char *text, size_t length, char before, const char **ret_plain)
{
    static const struct {
        const char *sign, *plain;
    } signs[] = {{"\xe2\x80\x99", "'"},
                 {"\xe2\x80\x94", " , "},
                 {"\xe2\x86\x92", " -> "},
                 {"\xe2\x87\x92", " -> "},
                 {"\xc3\x97", "x"},
                 {"*", ""},
                 {"`", ""},
                 {"\"", " "},
                 {";", " , "},
                 {":", " , "},
                 {"(", " , ( "},
                 {")", " ) , "},
                 {"!", " "},
                 {"?", " ? "}};
    size_t answered = told_answered_length(text, length);
    if (answered) {
        *ret_plain = " , ";
        return answered;
    }
    if (text[0] == ':' && length > 1 && isdigit((unsigned char)before) && isdigit((unsigned char)text[1]))
        return 0; /* "4:41" is one time */
    for (size_t at = 0; at < sizeof(signs) / sizeof(signs[0]); at++) {
        size_t size = strlen(signs[at].sign);
        if (size <= length && memcmp(text, signs[at].sign, size) == 0) {
            *ret_plain = signs[at].plain;
            return size;
        }
    }
    bool inside = length > 1 && is_of_word(text[1]);
    if ((text[0] == ',' || text[0] == '.') && !inside) {
        *ret_plain = " , ";
        return 1;
    }
    return 0;
}

static void plain_add(struct plain_sentence *plain, size_t *length, const char *text, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        char c = isspace((unsigned char)text[at]) || !text[at] ? ' ' : (char)tolower((unsigned char)text[at]);
        if ((c == ' ' && plain->text[*length - 1] == ' ') || *length + 2 >= sizeof(plain->text))
            continue;
        plain->text[(*length)++] = c;
    }
}

/*
 * How many bytes say how far a number may be off, which is no number of its own: "± 0.092 s" behind "8.121 s", "± 0.02"
 * behind "1.35", whose unit follows; 0: none.
 */
static size_t error_length(struct view text, char before)
{
    static const char *const signs[] = {"\xc2\xb1", "+/-", "+-"};
    size_t at = 0;
    for (size_t sign = 0; sign < sizeof(signs) / sizeof(signs[0]) && !at; sign++)
        at = view_starts(text, signs[sign]) ? strlen(signs[sign]) : 0;
    if (!at)
        return 0;
    while (at < text.length && text.text[at] == ' ')
        at++;
    size_t number = at;
    while (at < text.length && (isdigit((unsigned char)text.text[at]) || text.text[at] == '.' || text.text[at] == ','))
        at++;
    if (at == number)
        return 0;
    at -= text.text[at - 1] == '.' || text.text[at - 1] == ',';
    if (isdigit((unsigned char)before)) /* the unit behind it is of both */
        return at;
    while (at < text.length && text.text[at] == ' ')
        at++;
    while (at < text.length && (isalpha((unsigned char)text.text[at]) || text.text[at] == '%'))
        at++;
    return at;
}

void plain_sentence_of(struct plain_sentence *ret_plain, struct view sentence)
{
    size_t length = 1;
    ret_plain->text[0] = ' ';
    for (size_t at = 0; at < sentence.length;) {
        const char *as = NULL;
        char before = ret_plain->text[length - 1] == ' ' && length > 1 ? ret_plain->text[length - 2]
                                                                       : ret_plain->text[length - 1];
        at += error_length(view_skip(sentence, at), before);
        if (at >= sentence.length)
            break;
        size_t size = sign_of(sentence.text + at, sentence.length - at, ret_plain->text[length - 1], &as);
        plain_add(ret_plain, &length, as ? as : sentence.text + at, as ? strlen(as) : 1);
        at += as ? size : 1;
    }
    plain_add(ret_plain, &length, " ", 1);
    ret_plain->text[length] = '\0';
}
