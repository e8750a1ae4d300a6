/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_sentence.h"

#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

static const char TRIED[] = "tried:";

bool told_is_item(struct view line)
{
    size_t blanks = 0, digits = 0;
    while (blanks < line.length && line.text[blanks] == ' ')
        blanks++;
    line = view_skip(line, blanks);
    while (digits < line.length && digits < 3 && line.text[digits] >= '0' && line.text[digits] <= '9')
        digits++;
    if (digits)
        return line.length > digits + 1 && (line.text[digits] == '.' || line.text[digits] == ')') &&
               line.text[digits + 1] == ' ';
    return view_starts(line, "- ") || view_starts(line, "+ ") || view_starts(line, "\xe2\x80\xa2 ");
}

/* A line of a chat: "[10:40] ana: ", "10:40 <ana> ". */
static bool is_message(struct view line)
{
    size_t at = view_starts(line, "[") || view_starts(line, "(");
    size_t digits = 0;
    while (at + digits < line.length && isdigit((unsigned char)line.text[at + digits]))
        digits++;
    at += digits;
    return digits > 0 && digits <= 2 && at + 2 < line.length && line.text[at] == ':' &&
           isdigit((unsigned char)line.text[at + 1]) && isdigit((unsigned char)line.text[at + 2]);
}

/* "i.e.", "approx.": more of the sentence follows. */
static bool is_abbreviation(struct view before)
{
    size_t begin = before.length;
    while (begin > 0 && !strchr(" \n\t(", before.text[begin - 1]))
        begin--;
    return word_is(view_skip(before, begin), WORDS_SENTENCE_ABBREVIATION);
}

/* "pinning didn't help, nor did the governor": each of its own */
static bool ends_denial(struct view text, size_t at)
{
    static const char *const next[] = {", nor did ", ", neither did ", " and neither did ", ", and neither did "};
    bool ends = false;
    for (size_t one = 0; one < array_count(next) && !ends; one++)
        ends = view_starts(view_skip(text, at), next[one]);
    return ends;
}

/* What underlines a heading, or parts two sections: "=====", "-----". */
static bool is_rule(struct view line)
{
    enum { LEAST = 3 };
    line = view_trim(line);
    size_t at = 0;
    while (at < line.length && line.text[at] == line.text[0] && strchr("=-~_", line.text[0]))
        at++;
    return at == line.length && at >= LEAST;
}

static bool ends_sentence(struct view text, size_t at)
{
    char c = text.text[at], next = at + 1 < text.length ? text.text[at + 1] : '\n';
    bool blank = next == ' ' || next == '\n' || next == '\t' || next == '\r';
    if (ends_denial(text, at))
        return true;
    if (c == '\n' && told_is_item(view_skip(text, at + 1)))
        return true;
    if (c == '\n' && is_message(view_skip(text, at + 1)))
        return true;
    if (c == '.' && is_abbreviation((struct view){text.text, at}))
        return false;
    if (told_answered_length(text.text + at, text.length - at))
        return false;
    struct view behind = view_skip(text, at + 1), line;
    if (c == '\n' && view_line(&behind, &line) && is_rule(line))
        return true;
    if (c == '\n')
        return next == '\n' || next == '`' || next == '|' || next == '@' || next == '#' || next == '*' ||
               next == '\r' || view_starts(view_skip(text, at + 1), TRIED);
    /* a colon often stands between what was tried and what came of it */
    return (c == '.' || c == '!' || c == '?' || c == ';') && blank;
}

struct view told_sentence(struct view *text)
{
    struct view sentence = {0};
    while (!sentence.length && text->length) {
        size_t end = 0;
        *text = view_trim(*text);
        struct view line, rest = *text;
        if (view_line(&rest, &line) && (view_starts(line, "```") || is_rule(line))) { /* it belongs to no sentence */
            *text = rest;
            continue;
        }
        /* Markdown's headings, and trials in our own form */
        bool is_line = view_starts(*text, "#") || view_starts(*text, TRIED);
        while (end < text->length && !(is_line ? text->text[end] == '\n' : ends_sentence(*text, end)))
            end++;
        sentence = view_trim((struct view){text->text, end < text->length && text->text[end] != '\n' ? end + 1 : end});
        *text = view_skip(*text, end < text->length ? end + 1 : end);
    }
    return sentence;
}
