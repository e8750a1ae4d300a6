/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_labels.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_cells.h"

#include <ctype.h>

enum { ROWS_MOST = 12, LABEL_MOST = 60 };

struct row {
    struct view label, number, unit; /* unit: length 0: none stands in the cell */
};

struct table {
    struct view unit; /* of the heading; length 0: none */
    struct row rows[ROWS_MOST];
    size_t count;
};

static struct view bare(struct view cell)
{
    cell = view_trim(cell);
    while (cell.length && strchr("*`", cell.text[0]) && cell.text[0])
        cell = view_skip(cell, 1);
    while (cell.length && strchr("*`", cell.text[cell.length - 1]) && cell.text[cell.length - 1])
        cell.length--;
    return view_trim(cell);
}

/* "| TD | 41.2 s |", "TD,41.2"; false: there are fewer cells, or more. */
static bool cells_of(struct view line, struct view *ret_label, struct view *ret_value)
{
    line = view_trim(line);
    bool has_bars = view_starts(line, "|");
    line = has_bars ? view_skip(line, 1) : line;
    *ret_label = bare(view_cut(&line, has_bars ? '|' : ','));
    *ret_value = bare(view_cut(&line, has_bars ? '|' : ','));
    return ret_label->length <= LABEL_MOST && ret_value->length && !view_trim(line).length;
}

/* "s", "seconds", "GFLOP/s": of a time or a rate; as short as sentences have it. */
static struct view unit_of(struct view word)
{
    static const char *const seconds[] = {"s", "sec", "secs", "seconds"}, *const kept[] = {"ms", "min", "us"};
    while (word.length && strchr("([", word.text[0]) && word.text[0])
        word = view_skip(word, 1);
    while (word.length && strchr(")],:", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    bool is_rate = view_ends(word, "/s") && word.length > 2;
    return view_is_any_caseless(word, seconds, array_count(seconds))        ? VIEW("s")
           : view_is_any_caseless(word, kept, array_count(kept)) || is_rate ? word
                                                                            : (struct view){0};
}

static struct view unit_in(struct view heading)
{
    struct view found = {0};
    for (struct view word; (word = view_word(&heading)).length;)
        found = unit_of(word).length ? unit_of(word) : found;
    return found;
}

/* "41.2", "41.2 s" */
static bool row_read(struct view line, struct row *row)
{
    struct view value;
    double number;
    if (!cells_of(line, &row->label, &value) || !row->label.length || !isalpha((unsigned char)row->label.text[0]))
        return false;
    row->number = view_word(&value);
    struct view unit = view_word(&value);
    row->unit = unit_of(unit);
    return view_decimal(row->number, &number) && number > 0 && (!unit.length || row->unit.length) &&
           !view_trim(value).length;
}

static bool table_read(struct view *text, struct table *table)
{
    struct view line, rest = *text, label, value;
    double number;
    *table = (struct table){.count = 0};
    if (!view_line(&rest, &line) || !cells_of(line, &label, &value) || view_decimal(value, &number))
        return false;
    table->unit = unit_in(value);
    bool has_bars = view_starts(view_trim(line), "|");
    if (has_bars && (!view_line(&rest, &line) || !cells_are_rule(line)))
        return false;
    for (struct view after = rest;
         table->count < ROWS_MOST && view_line(&after, &line) && view_starts(view_trim(line), "|") == has_bars &&
         row_read(line, &table->rows[table->count]);
         rest = after)
        table->count++;
    bool has_unit = table->count > 1;
    for (size_t at = 0; at < table->count; at++)
        has_unit &= table->rows[at].unit.length || table->unit.length;
    *text = has_unit ? rest : *text;
    return has_unit;
}

/* What a label adds to another: "THP" of "TD + THP", "TD, THP", "TD with THP", "TD (THP)"; length 0: nothing. */
static struct view added_to(struct view base, struct view label)
{
    static const char *const joints[] = {"+", ",", "with ", "w/ ", "(", "and "};
    struct view start = {label.text, base.length}, rest;
    if (label.length <= base.length || !views_equal_caseless(start, base))
        return (struct view){0};
    rest = view_trim(view_skip(label, base.length));
    for (size_t at = 0; at < array_count(joints); at++)
        if (view_starts(rest, joints[at])) {
            rest = view_trim(view_skip(rest, strlen(joints[at])));
            rest.length -= joints[at][0] == '(' && view_ends(rest, ")");
            return rest;
        }
    return (struct view){0};
}

/* The row that it goes on from, by the longest label; NULL: none. */
static const struct row *base_of(const struct table *table, const struct row *row)
{
    const struct row *base = NULL;
    for (size_t at = 0; at < table->count; at++)
        if (added_to(table->rows[at].label, row->label).length &&
            (!base || table->rows[at].label.length > base->label.length))
            base = &table->rows[at];
    return base;
}

static void amount_put(struct text *out, const struct table *table, const struct row *row)
{
    struct view unit = row->unit.length ? row->unit : table->unit;
    text_printf(out, "%.*s %.*s", (int)row->number.length, row->number.text, (int)unit.length, unit.text);
}

/* Of more than two that stand for themselves nobody knows which are compared. */
static void states_put(struct text *out, const struct table *table)
{
    const struct row *states[2];
    size_t count = 0;
    for (size_t at = 0; at < table->count; at++)
        if (!base_of(table, &table->rows[at])) {
            if (count < array_count(states))
                states[count] = &table->rows[at];
            count++;
        }
    for (size_t at = 0; at < array_count(states) && count == array_count(states); at++) {
        text_printf(out, "%s%.*s: ", at ? ", " : "\n", (int)states[at]->label.length, states[at]->label.text);
        amount_put(out, table, states[at]);
        text_add(out, at ? ".\n" : "");
    }
}

/* "THP off again": beside which row it is to be held isn't told. */
static bool is_taken_back(struct view added)
{
    static const char *const words[] = {"again", "back", "revert", "undo"};
    bool is_one = false;
    for (size_t at = 0; at < array_count(words); at++)
        is_one |= view_mentions(added, words[at]);
    return is_one;
}

static void trials_put(struct text *out, const struct table *table)
{
    for (size_t at = 0; at < table->count; at++) {
        const struct row *row = &table->rows[at], *base = base_of(table, row);
        struct view added = base ? added_to(base->label, row->label) : (struct view){0};
        if (!added.length || is_taken_back(added))
            continue;
        text_printf(out, "\ntried: %.*s: ", (int)added.length, added.text);
        amount_put(out, table, base);
        text_add(out, " before, ");
        amount_put(out, table, row);
        text_add(out, " after\n");
    }
}

struct view import_labels_sentences(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    struct table table;
    struct view line;
    while (text.length) {
        if (table_read(&text, &table)) {
            states_put(&out, &table);
            trials_put(&out, &table);
        } else {
            (void)view_line(&text, &line);
        }
    }
    return (struct view){arena_copy(arena, out.bytes, out.length), out.length};
}
