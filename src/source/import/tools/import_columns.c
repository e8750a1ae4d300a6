/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_columns.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>

enum { COLUMNS_MOST = 64 };

/* As perf heads the first level where the metrics have no names of their own. */
static const struct {
    const char *words, *name;
} in_words[] = {{"bad speculation", "tma_bad_speculation"},
                {"frontend bound", "tma_frontend_bound"},
                {"backend bound", "tma_backend_bound"},
                {"retiring", "tma_retiring"}};

/* The name that the line begins with, cut off; length 0: another word. */
static struct view name_cut(struct view *line)
{
    *line = view_trim(*line);
    for (size_t at = 0; at < array_count(in_words); at++) {
        struct view rest = *line, second = view_of(in_words[at].words), first = view_word(&second);
        struct view word = view_word(&rest);
        bool same = word.length == first.length && memcmp(word.text, first.text, first.length) == 0;
        second = view_trim(second);
        word = second.length ? view_word(&rest) : second;
        if (same && word.length == second.length &&
            (!second.length || memcmp(word.text, second.text, second.length) == 0)) {
            *line = rest;
            return view_of(in_words[at].name);
        }
    }
    struct view word = view_word(line);
    return view_starts(word, "tma_") ? word : (struct view){0};
}

/* "%  tma_frontend_bound  %  tma_backend_bound", "retiring  bad speculation": how many names; 0: another line. */
static size_t names_of(struct view line, struct view names[COLUMNS_MOST])
{
    size_t count = 0;
    while ((line = view_trim(line)).length) {
        if (view_starts(line, "%")) {
            line = view_skip(line, 1);
            continue;
        }
        struct view name = name_cut(&line);
        if (!name.length || count == COLUMNS_MOST)
            return 0;
        names[count++] = name;
    }
    return count;
}

static struct view without_sign(struct view word)
{
    word.length -= view_ends(word, "%");
    return word;
}

static bool is_number(struct view word)
{
    double ignored;
    return view_double(word, &ignored);
}

/* "1.000893421" of -I, "S0-D0-C0", "CPU3" */
static bool is_time_or_place(struct view word)
{
    return view_find(word, ".") > 0 || (word.length && isalpha((unsigned char)word.text[0]));
}

/* As many numbers as there are names, behind a time or whose they are: "S0-D0-C0  2  5.7%  1.2%". */
static bool numbers_of(struct view line, struct view numbers[COLUMNS_MOST], size_t wanted)
{
    enum { BEFORE_MOST = 3 };
    struct view words[COLUMNS_MOST + BEFORE_MOST];
    size_t count = 0;
    for (struct view word = view_word(&line); word.length; word = view_word(&line)) {
        if (view_equal(word, "%"))
            continue;
        if (count == wanted + BEFORE_MOST)
            return false;
        words[count++] = without_sign(word);
    }
    if (count < wanted || (count > wanted && !is_time_or_place(words[0])))
        return false;
    for (size_t at = 0; at < wanted; at++) {
        numbers[at] = words[count - wanted + at];
        if (!is_number(numbers[at]))
            return false;
    }
    return true;
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

/* The rows under such names: of several, as of each core or each second, the mean. False: there are none. */
static bool rows_put(struct text *out, const struct view names[COLUMNS_MOST], size_t count, struct view *rest)
{
    struct view line, behind = *rest, numbers[COLUMNS_MOST];
    double sums[COLUMNS_MOST] = {0}, value;
    size_t rows = 0;
    while (line_behind(&behind, &line) && numbers_of(line, numbers, count)) {
        for (size_t at = 0; at < count; at++)
            sums[at] += view_double(numbers[at], &value) ? value : 0;
        rows++;
        *rest = behind;
    }
    for (size_t at = 0; rows && at < count; at++)
        text_printf(out, "%.9g %% %.*s\n", sums[at] / (double)rows, (int)names[at].length, names[at].text);
    return rows > 0;
}

struct view import_columns_turned(struct view text, struct arena *arena)
{
    struct view line, names[COLUMNS_MOST], rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        size_t count = names_of(line, names);
        if (pairs_put(&out, line) || (count >= 2 && rows_put(&out, names, count, &rest))) {
            turned = true;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
