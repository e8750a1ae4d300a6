/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_thousands.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>

/* How long the blank is that stands here: of ASCII, without a break, or narrow; 0: there is none. */
static size_t blank_at(struct view line, size_t at)
{
    static const char *const blanks[] = {" ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
    for (size_t one = 0; one < array_count(blanks); one++)
        if (view_starts(view_skip(line, at), blanks[one]))
            return strlen(blanks[one]);
    return 0;
}

static size_t digits_at(struct view line, size_t at)
{
    size_t count = 0;
    while (at + count < line.length && isdigit((unsigned char)line.text[at + count]))
        count++;
    return count;
}

/* The digits of a count that begins the line, and where it ends; false: it has no such blanks. */
static bool count_of(struct view line, struct text *digits, size_t *ret_end)
{
    enum { GROUP = 3, BLANKS_BEHIND = 2 };
    size_t first = digits_at(line, 0), at = first, groups = 0;
    text_clear(digits);
    text_append(digits, line.text, first);
    for (size_t blank; (blank = blank_at(line, at)) && digits_at(line, at + blank) == GROUP; groups++) {
        text_append(digits, line.text + at + blank, GROUP);
        at += blank + GROUP;
    }
    size_t name = at;
    while (name < line.length && line.text[name] == ' ')
        name++;
    *ret_end = at;
    return first && first <= GROUP && groups && name >= at + BLANKS_BEHIND && name < line.length &&
           isalpha((unsigned char)line.text[name]);
}

struct view import_thousands_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0}, digits = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        size_t end = 0, indent = 0;
        while (indent < line.length && line.text[indent] == ' ')
            indent++;
        struct view count = view_skip(line, indent);
        if (count_of(count, &digits, &end)) {
            text_append(&out, digits.bytes, digits.length);
            line = view_skip(count, end);
            turned = true;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
