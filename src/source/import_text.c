/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import_text.h"

#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

struct row {
    double number;
    struct view name;
};

struct rows {
    struct row *items;
    size_t count, capacity;
};

static const char *const kind_names[] = {
    [IMPORT_UNKNOWN] = "text",           [IMPORT_EXITS] = "table of exits", [IMPORT_REPORT] = "perf report",
    [IMPORT_ANNOTATE] = "perf annotate", [IMPORT_STAT] = "perf stat",       [IMPORT_RUNS] = "timed runs",
};
_Static_assert(array_count(kind_names) == IMPORT_KIND_COUNT, "a name for each kind");

const char *import_kind_name(enum import_kind kind)
{
    return kind_names[kind];
}

static bool number_of(struct view word, double *ret_number)
{
    char digits[40];
    size_t used = 0;
    for (size_t at = 0; at < word.length; at++) {
        if (word.text[at] == ',')
            continue;
        if (used + 1 >= sizeof(digits))
            return false;
        digits[used++] = word.text[at];
    }
    bool starts = used && digits[0] >= '0' && digits[0] <= '9';
    return starts && view_double((struct view){digits, used}, ret_number) && isfinite(*ret_number);
}

static bool row_of_exits(struct view line, struct row *row)
{
    line = view_trim(line);
    if (!view_starts(line, "@"))
        return false;
    struct view key = view_cut(&line, ':');
    ptrdiff_t open = view_find(key, "[");
    double count;
    if (open < 0 || !number_of(view_word(&line), &count))
        return false;
    struct view inside = view_skip(key, (size_t)open + 1);
    inside = view_cut(&inside, ']');
    struct view name = view_trim(line);
    *row = (struct row){count, name.length ? name : inside};
    return true;
}

static bool row_of_report(struct view line, struct row *row)
{
    struct view first = view_word(&line);
    if (!view_ends(first, "%"))
        return false;
    first.length--;
    if (!number_of(first, &row->number))
        return false;
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    if (mark < 0)
        return false;
    row->name = view_trim(view_skip(line, (size_t)mark + 4));
    return row->name.length > 0;
}

static bool row_of_annotate(struct view line, struct row *row)
{
    struct view percent = view_trim(view_cut(&line, ':'));
    if (!number_of(percent, &row->number) || row->number > 100 || !line.length)
        return false;
    struct view address = view_trim(view_cut(&line, ':'));
    uint64_t ignored;
    row->name = view_trim(line);
    return row->name.length && view_u64(address, 16, &ignored);
}

static bool row_of_stat(struct view line, struct row *row)
{
    if (!number_of(view_word(&line), &row->number))
        return false;
    struct view name = view_word(&line);
    if (view_equal(name, "msec"))
        name = view_word(&line);
    bool letter = name.length > 2 && ((name.text[0] | 32) >= 'a' && (name.text[0] | 32) <= 'z');
    row->name = name;
    return letter && !view_equal(name, "seconds");
}

static bool row_of_runs(struct view line, struct row *row)
{
    struct view word = view_word(&line), unit = view_word(&line);
    if (view_ends(word, "s") && word.length > 1)
        word.length--;
    row->name = (struct view){0};
    return number_of(word, &row->number) && (!unit.length || view_equal(unit, "s") || view_equal(unit, "seconds")) &&
           !view_word(&line).length;
}

static bool (*const row_readers[])(struct view line, struct row *row) = {
    [IMPORT_EXITS] = row_of_exits, [IMPORT_REPORT] = row_of_report, [IMPORT_ANNOTATE] = row_of_annotate,
    [IMPORT_STAT] = row_of_stat,   [IMPORT_RUNS] = row_of_runs,
};

static size_t rows_read(struct view text, enum import_kind kind, struct rows *rows)
{
    struct view line;
    struct row row;
    rows->count = 0;
    while (view_line(&text, &line))
        if (row_readers[kind](line, &row))
            *vec_push(rows) = row;
    return rows->count;
}

static int row_compare(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    return (left->number < right->number) - (left->number > right->number);
}

static void add_name(struct text *out, struct view name)
{
    for (size_t at = 0; at < name.length && at < 80; at++)
        text_add_char(out, (unsigned char)name.text[at] < ' ' ? ' ' : name.text[at]);
}

static void summarise_shares(struct text *out, const struct rows *rows, bool are_counts)
{
    double sum = 0;
    for (size_t at = 0; at < rows->count; at++)
        sum += rows->items[at].number;
    if (are_counts)
        text_printf(out, "%.0f exits for %zu reasons: ", sum, rows->count);
    for (size_t at = 0; at < rows->count && at < 3; at++) {
        text_add(out, at ? ", " : "");
        add_name(out, rows->items[at].name);
        text_printf(out, " %.1f %%", are_counts && sum > 0 ? 100 * rows->items[at].number / sum : rows->items[at].number);
    }
}

static void summarise(struct text *out, enum import_kind kind, struct rows *rows)
{
    if (kind != IMPORT_STAT)
        qsort(rows->items, rows->count, sizeof(*rows->items), row_compare);
    switch (kind) {
    case IMPORT_STAT:
        for (size_t at = 0; at < rows->count && at < 4; at++) {
            text_printf(out, "%s%.15g ", at ? ", " : "", rows->items[at].number);
            add_name(out, rows->items[at].name);
        }
        break;
    case IMPORT_RUNS:
        text_printf(out, "%zu runs, %.6g to %.6g s, median %.6g s", rows->count, rows->items[rows->count - 1].number,
                    rows->items[0].number, rows->items[rows->count / 2].number);
        break;
    default:
        summarise_shares(out, rows, kind == IMPORT_EXITS);
    }
}

struct imported_text import_text_read(struct view text, struct arena *arena)
{
    struct rows rows = {0};
    scoped_text struct text out = {0};
    enum import_kind best = IMPORT_UNKNOWN;
    size_t most = 0;
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++) {
        size_t count = rows_read(text, (enum import_kind)kind, &rows);
        if (count > most) {
            most = count;
            best = (enum import_kind)kind;
        }
    }
    if (best == IMPORT_UNKNOWN) {
        struct view line;
        size_t lines = 0;
        while (view_line(&text, &line))
            lines++;
        text_printf(&out, "%zu lines in no form that plumb knows; nothing was read from them", lines);
    } else {
        rows_read(text, best, &rows);
        summarise(&out, best, &rows);
    }
    vec_done(&rows);
    return (struct imported_text){best, kind_names[best], arena_string(arena, text_string(&out))};
}
