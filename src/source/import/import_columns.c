/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_columns.h"

#include "base/scope.h"

enum { COLUMNS_MOST = 64 };

/* "%  tma_frontend_bound  %  tma_backend_bound": how many names; 0: another line. */
static size_t names_of(struct view line, struct view names[COLUMNS_MOST])
{
    size_t count = 0;
    for (struct view word = view_word(&line); word.length; word = view_word(&line)) {
        if (view_equal(word, "%"))
            continue;
        if (!view_starts(word, "tma_") || count == COLUMNS_MOST)
            return 0;
        names[count++] = word;
    }
    return count;
}

static bool is_number(struct view word)
{
    double ignored;
    return view_double(word, &ignored);
}

/* As many numbers as there are names, and nothing else. */
static bool numbers_of(struct view line, struct view numbers[COLUMNS_MOST], size_t wanted)
{
    size_t count = 0;
    for (struct view word = view_word(&line); word.length; word = view_word(&line)) {
        if (count == wanted || !is_number(word))
            return false;
        numbers[count++] = word;
    }
    return count == wanted;
}

/* The next line that isn't empty. */
static bool line_behind(struct view *rest, struct view *ret_line)
{
    while (view_line(rest, ret_line))
        if (view_trim(*ret_line).length)
            return true;
    return false;
}

/*
 * "tma_mem_bandwidth 72.6%, tma_dram_bound is 66.5 %": two names at least, each with its share behind it, before the
 * next; other shares are of something else.
 */
static bool pairs_put(struct text *out, struct view line)
{
    scoped_text struct text lines = {0};
    struct view word, name = {0}, before = {0};
    size_t count = 0;
    while ((word = view_word(&line)).length) {
        while (word.length && strchr(",;:.()", word.text[word.length - 1]))
            word.length--;
        while (word.length && (word.text[0] == '(' || word.text[0] == '`'))
            word = view_skip(word, 1);
        bool sign = view_equal(word, "%"), behind = view_ends(word, "%") && word.length > 1;
        struct view number = sign ? before : behind ? (struct view){word.text, word.length - 1} : (struct view){0};
        if (view_starts(word, "tma_")) {
            if (name.length)
                return false;
            name = view_ends(word, "`") ? (struct view){word.text, word.length - 1} : word;
        } else if (name.length && number.length && is_number(number)) {
            text_printf(&lines, "%.*s %% %.*s\n", (int)number.length, number.text, (int)name.length, name.text);
            name = (struct view){0};
            count++;
        }
        before = word;
    }
    if (count < 2 || name.length)
        return false;
    text_append(out, lines.bytes, lines.length);
    return true;
}

struct view import_columns_turned(struct view text, struct arena *arena)
{
    struct view line, numbers_line, names[COLUMNS_MOST], numbers[COLUMNS_MOST], rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        if (pairs_put(&out, line)) {
            turned = true;
            continue;
        }
        struct view behind = rest;
        size_t count = names_of(line, names);
        if (count < 2 || !line_behind(&behind, &numbers_line) || !numbers_of(numbers_line, numbers, count)) {
            text_append(&out, line.text, line.length);
            text_add_char(&out, '\n');
            continue;
        }
        for (size_t at = 0; at < count; at++)
            text_printf(&out, "%.*s %% %.*s\n", (int)numbers[at].length, numbers[at].text, (int)names[at].length,
                        names[at].text);
        rest = behind;
        turned = true;
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
