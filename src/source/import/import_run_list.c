/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_run_list.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_line.h"
#include "source/import/import_text.h"

#include <ctype.h>
#include <math.h>

static const struct {
    const char *unit;
    double seconds;
} units[] = {
    {"s", 1},     {"sec", 1},   {"secs", 1},   {"seconds", 1}, {"ms", 1e-3}, {"msec", 1e-3}, {"milliseconds", 1e-3},
    {"us", 1e-6}, {"ns", 1e-9}, {"min", 60.0}, {"minutes", 60}};

/* 0: it is none */
static double unit_of(struct view word)
{
    while (word.length && strchr("([", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr(")],:;.", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(word, units[at].unit))
            return units[at].seconds;
    return 0;
}

/* The unit that a line names among its words; 0: none. */
static double unit_in(struct view line)
{
    double found = 0;
    for (struct view word; (word = view_word(&line)).length;)
        found = unit_of(word) > 0 ? unit_of(word) : found;
    return found;
}

/* "0.161", "0.161,", "0.161s": the number, and its unit where that is part of the word (else 0). */
static bool number_of(struct view word, double *ret_number, double *ret_unit)
{
    size_t digits = 0;
    while (word.length && strchr(",;", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    while (digits < word.length && (isdigit((unsigned char)word.text[digits]) || word.text[digits] == '.'))
        digits++;
    struct view unit = view_skip(word, digits);
    *ret_unit = unit_of(unit);
    return digits && (!unit.length || *ret_unit > 0) && view_decimal((struct view){word.text, digits}, ret_number);
}

/* ---- several of one name ---- */

enum { RUNS_LEAST = 3, RUNS_MOST = 256, NAME_MOST = 40 };

struct list {
    struct view name;
    double numbers[RUNS_MOST], unit; /* 0: not said */
    size_t count;
    bool has_fractions;
};

static bool list_of(struct view line, struct list *list)
{
    ptrdiff_t colon = view_find(view_trim(line), ": ");
    *list = (struct list){.count = 0};
    line = view_trim(line);
    if (colon < 1 || colon > NAME_MOST || !isalpha((unsigned char)line.text[0]))
        return false;
    list->name = (struct view){line.text, (size_t)colon};
    struct view rest = view_skip(line, (size_t)colon + 1);
    for (struct view word; (word = view_word(&rest)).length;) {
        double number, unit;
        if (list->count < RUNS_MOST && number_of(word, &number, &unit)) {
            list->numbers[list->count++] = number;
            list->unit = unit > 0 ? unit : list->unit;
            list->has_fractions |= memchr(word.text, '.', word.length) != NULL;
        } else if (list->count && unit_of(word) > 0 && !view_trim(rest).length) {
            list->unit = unit_of(word);
        } else {
            return false;
        }
    }
    return list->count >= RUNS_LEAST && list->has_fractions;
}

static void list_put(struct text *out, const struct list *list, double unit)
{
    double sum = 0, squares = 0, least = INFINITY, most = 0;
    for (size_t at = 0; at < list->count; at++) {
        sum += list->numbers[at];
        least = fmin(least, list->numbers[at]);
        most = fmax(most, list->numbers[at]);
    }
    double mean = sum / (double)list->count;
    for (size_t at = 0; at < list->count; at++)
        squares += (list->numbers[at] - mean) * (list->numbers[at] - mean);
    double differ = sqrt(squares / (double)(list->count - 1));
    text_printf(out, "%.*s: %.6g s " IMPORT_LINE_SPREAD " %.3g s (%.6g s … %.6g s, %zu runs)\n", (int)list->name.length,
                list->name.text, mean * unit, differ * unit, least * unit, most * unit, list->count);
}

/* ---- one of each of several names, in a sentence ---- */

enum { NAMED_LEAST = 2, NAMED_MOST = 8 };

struct named {
    struct view names[NAMED_MOST];
    double seconds[NAMED_MOST];
    size_t count;
};

/* A row of timed runs has that name. */
static bool is_of_run(struct view text, struct view name)
{
    struct view line;
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    while (view_line(&text, &line))
        if (import_line_read(line, IMPORT_RUNS, copy, &row) && views_equal_caseless(row.name, name))
            return true;
    return false;
}

/* "Halide 8.11 ms", "hand 8.20 ms (+- 0.03)" */
static bool named_add(struct view item, struct named *named)
{
    struct view name = {0}, word;
    double number = 0, unit = 0;
    item = view_trim(item);
    while ((word = view_word(&item)).length && !number_of(word, &number, &unit))
        name = (struct view){name.length ? name.text : word.text,
                             (size_t)(word.text + word.length - (name.length ? name.text : word.text))};
    if (!name.length || !word.length || named->count == NAMED_MOST)
        return false;
    unit = unit > 0 ? unit : unit_of(view_word(&item));
    item = view_trim(item);
    if (!(unit > 0) || (item.length && item.text[0] != '('))
        return false;
    named->names[named->count] = name;
    named->seconds[named->count++] = number * unit;
    return true;
}

/* Told of what may be, or of others. */
static bool is_supposed(struct view line)
{
    static const char *const words[] = {"expect", "would", "should", "predict", "target",
                                        "blog",   "paper", "might",  "?"};
    for (size_t at = 0; at < array_count(words); at++)
        if (view_mentions(line, words[at]))
            return true;
    return false;
}

static bool named_of(struct view text, struct view line, struct named *named, struct view *ret_ahead)
{
    ptrdiff_t colon = view_find(line, ": ");
    *named = (struct named){.count = 0};
    if (colon < 1 || is_supposed(line))
        return false;
    struct view rest = view_skip(line, (size_t)colon + 1);
    *ret_ahead = (struct view){line.text, (size_t)colon};
    while (view_trim(rest).length)
        if (!named_add(view_cut(&rest, ','), named))
            break;
    size_t known = 0;
    for (size_t at = 0; at < named->count && named->count >= NAMED_LEAST; at++)
        known += is_of_run(text, named->names[at]);
    return known >= NAMED_LEAST && known == named->count;
}

static void named_put(struct text *out, const struct named *named, struct view ahead)
{
    text_printf(out, "\n%.*s:\n\n", (int)ahead.length, ahead.text);
    for (size_t at = 0; at < named->count; at++)
        text_printf(out, "%.*s: %.9g s\n", (int)named->names[at].length, named->names[at].text, named->seconds[at]);
    text_add_char(out, '\n');
}

struct view import_run_list_turned(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct view line, rest = text, ahead = {0};
    struct list *list = arena_array(arena, struct list, 1);
    struct named named;
    double above = 0; /* the unit that a heading of the block names */
    bool turned = false;
    while (view_line(&rest, &line)) {
        bool is_list = list_of(line, list) && (list->unit > 0 || above > 0),
             is_named = !is_list && named_of(text, line, &named, &ahead);
        turned |= is_list || is_named;
        if (is_list) {
            list_put(&out, list, list->unit > 0 ? list->unit : above);
        } else if (is_named) {
            named_put(&out, &named, ahead);
        } else {
            text_append(&out, line.text, line.length);
            text_add_char(&out, '\n');
        }
        above = is_list || import_text_is_gap(line) ? above : unit_in(line);
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
