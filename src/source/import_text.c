/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import_text.h"

#include "base/scope.h"
#include "base/vec.h"
#include "decode/exits/exit_text.h"

#include <stdlib.h>

struct row {
    double number, seconds, running_ratio, self; /* as struct import_row */
    struct view name;
};

struct rows {
    struct row *items;
    size_t count, capacity;
};

static const char *const kind_names[] = {
    [IMPORT_UNKNOWN] = "text",           [IMPORT_EXITS] = "table of exits", [IMPORT_REPORT] = "perf report",
    [IMPORT_ANNOTATE] = "perf annotate", [IMPORT_STAT] = "perf stat",       [IMPORT_RUNS] = "timed runs",
    [IMPORT_METRICS] = "top-down metrics",
};
_Static_assert(array_count(kind_names) == IMPORT_KIND_COUNT, "a name for each kind");

const char *import_kind_name(enum import_kind kind)
{
    return kind_names[kind];
}

static bool share_of(struct view word, double *ret_number)
{
    if (!view_ends(word, "%"))
        return false;
    word.length--;
    return view_grouped(word, ret_number);
}

static bool row_of_exits(struct view line, struct row *row)
{
    struct exit_row exits;
    if (!exit_text_row(line, &exits))
        return false;
    *row = (struct row){.number = exits.count, .name = exits.name, .seconds = exits.has_times ? exits.seconds : 0};
    return true;
}

static bool row_of_report(struct view line, struct row *row)
{
    struct view first = view_word(&line);
    if (!view_ends(first, "%"))
        return false;
    first.length--;
    if (!view_grouped(first, &row->number))
        return false;
    /* With call chains there are two: of the function with what it called, and its own. */
    struct view rest = line, second = view_word(&rest);
    double own = row->number;
    if (view_ends(second, "%") && !view_grouped((struct view){second.text, second.length - 1}, &own))
        own = row->number;
    row->self = own;
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    if (mark < 0)
        return false;
    row->name = view_trim(view_skip(line, (size_t)mark + 4));
    return row->name.length > 0;
}

static bool is_metric(struct view word)
{
    return view_starts(word, "tma_") && word.length > strlen("tma_");
}

/* "33.94 :  4011a2: mov 0x58(%rax),%rax", or a share before a line of source or code. */
static bool row_of_annotate(struct view line, struct row *row)
{
    struct view rest = line, first = view_word(&rest);
    if (share_of(first, &row->number) && row->number <= 100) {
        row->name = view_trim(rest);
        return row->name.length > 0 && !is_metric(row->name) && view_find(rest, "[.] ") < 0 &&
               view_find(rest, "[k] ") < 0;
    }
    struct view percent = view_trim(view_cut(&line, ':'));
    if (!view_grouped(percent, &row->number) || row->number > 100 || !line.length)
        return false;
    struct view address = view_trim(view_cut(&line, ':'));
    uint64_t ignored;
    row->name = view_trim(line);
    return row->name.length && view_u64(address, 16, &ignored);
}

/* "88.8 %  tma_backend_bound", "tma_dram_bound  66.5%", with whatever else stands in the line. */
static bool row_of_metrics(struct view line, struct row *row)
{
    struct view word, before = {0};
    bool has_share = false;
    row->name = (struct view){0};
    while ((word = view_word(&line)).length) {
        double percent;
        if (is_metric(word))
            row->name = word;
        else if (share_of(word, &percent) || (view_equal(word, "%") && view_grouped(before, &percent))) {
            row->number = percent;
            has_share = true;
        }
        before = word;
    }
    return row->name.length && has_share && row->number >= 0 && row->number <= 100;
}

/* "(66.64%)" at the end of a line: the share of the time in which it was counted. */
static double running_of(struct view line)
{
    line = view_trim(line);
    double percent;
    for (size_t at = line.length; at > 0 && view_ends(line, "%)"); at--)
        if (line.text[at - 1] == '(') {
            struct view inside = {line.text + at, line.length - at - 1};
            return share_of(inside, &percent) && percent > 0 && percent <= 100 ? percent / 100 : 0;
        }
    return 1;
}

static bool row_of_stat(struct view line, struct row *row)
{
    struct view whole = line;
    if (!view_grouped(view_word(&line), &row->number))
        return false;
    struct view name = view_word(&line);
    if (view_equal(name, "msec")) {
        name = view_word(&line);
        row->number *= 1e6; /* clocks count nanoseconds */
    }
    bool letter = name.length > 2 && ((name.text[0] | 32) >= 'a' && (name.text[0] | 32) <= 'z');
    row->name = name;
    row->running_ratio = running_of(whole);
    return letter && !view_equal(name, "seconds");
}

/* "real 0m1.25s", as a shell's time has it. */
static bool shell_time_of(struct view line, struct row *row)
{
    struct view word = view_word(&line), minutes;
    double minute;
    if (!view_equal(word, "real"))
        return false;
    word = view_word(&line);
    minutes = view_cut(&word, 'm');
    if (!view_grouped(minutes, &minute) || !view_duration(word, &row->number))
        return false;
    row->number += 60 * minute;
    return true;
}

/* Seconds, a run a line, perhaps behind a name: "0.164", "0.164 s", "before: 0.164 s". */
static bool row_of_runs(struct view line, struct row *row)
{
    struct view rest = line, word = view_word(&rest);
    row->name = (struct view){0};
    if (shell_time_of(line, row))
        return true;
    if (view_ends(word, ":")) {
        row->name = (struct view){word.text, word.length - 1};
        word = view_word(&rest);
    }
    struct view unit = view_word(&rest);
    if (view_ends(word, "s") && word.length > 1)
        word.length--;
    return view_grouped(word, &row->number) && (!unit.length || view_equal(unit, "s") || view_equal(unit, "seconds")) &&
           !view_word(&rest).length;
}

static bool (*const row_readers[])(struct view line, struct row *row) = {
    [IMPORT_EXITS] = row_of_exits, [IMPORT_REPORT] = row_of_report, [IMPORT_ANNOTATE] = row_of_annotate,
    [IMPORT_STAT] = row_of_stat,   [IMPORT_RUNS] = row_of_runs,     [IMPORT_METRICS] = row_of_metrics,
};

/* Tables in Markdown have bars between their columns. */
static struct view without_bars(struct view line, char *copy, size_t size)
{
    if (view_find(line, "|") < 0 || line.length > size)
        return line;
    for (size_t at = 0; at < line.length; at++)
        copy[at] = line.text[at] == '|' ? ' ' : line.text[at];
    return (struct view){copy, line.length};
}

static size_t rows_read(struct view text, enum import_kind kind, struct rows *rows, struct arena *arena)
{
    enum { LINE_MOST = 1024 };
    struct view line;
    char copy[LINE_MOST];
    rows->count = 0;
    while (view_line(&text, &line)) {
        struct row row = {0};
        struct view plain = without_bars(line, copy, sizeof(copy));
        if (!row_readers[kind](plain, &row))
            continue;
        row.name = row.name.length ? (struct view){arena_copy(arena, row.name.text, row.name.length), row.name.length}
                                   : (struct view){0};
        *vec_push(rows) = row;
    }
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
        uint64_t number;
        text_add(out, are_counts && view_u64(rows->items[at].name, 10, &number) ? "reason " : "");
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
            bool is_clock = view_ends(rows->items[at].name, "-clock");
            text_add(out, at ? ", " : "");
            text_printf(out, is_clock ? "%.6g ms of " : "%.15g ", is_clock ? rows->items[at].number * 1e-6 : rows->items[at].number);
            add_name(out, rows->items[at].name);
        }
        break;
    case IMPORT_RUNS:
        text_printf(out, "%zu runs, %.6g to %.6g s, median %.6g s", rows->count, rows->items[rows->count - 1].number,
                    rows->items[0].number, rows->items[rows->count / 2].number);
        break;
    case IMPORT_METRICS:
        for (size_t at = 0; at < rows->count && at < 8; at++) {
            text_add(out, at ? ", " : "");
            add_name(out, rows->items[at].name);
            text_printf(out, " %.4g %%", rows->items[at].number);
        }
        break;
    default:
        summarise_shares(out, rows, kind == IMPORT_EXITS);
    }
}

static struct import_row *rows_keep(const struct rows *rows, struct arena *arena)
{
    struct import_row *kept = arena_array(arena, struct import_row, rows->count + 1);
    for (size_t at = 0; at < rows->count; at++) {
        scoped_text struct text name = {0};
        add_name(&name, rows->items[at].name);
        kept[at] = (struct import_row){
            .name = arena_string(arena, text_string(&name)),
            .number = rows->items[at].number,
            .seconds = rows->items[at].seconds,
            .running_ratio = rows->items[at].running_ratio,
            .self = rows->items[at].self,
        };
    }
    return kept;
}

struct imported_text import_text_read(struct view text, struct arena *arena)
{
    struct rows rows = {0};
    scoped_text struct text out = {0};
    struct imported_text imported = {.kind = IMPORT_UNKNOWN};
    size_t most = 0;
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++) {
        size_t count = rows_read(text, (enum import_kind)kind, &rows, arena);
        if (count > most) {
            most = count;
            imported.kind = (enum import_kind)kind;
        }
    }
    if (imported.kind == IMPORT_UNKNOWN) {
        struct view line;
        size_t lines = 0;
        while (view_line(&text, &line))
            lines++;
        text_printf(&out, "%zu lines in no form that plumb knows; nothing was read from them", lines);
    } else {
        imported.row_count = rows_read(text, imported.kind, &rows, arena);
        imported.rows = rows_keep(&rows, arena);
        summarise(&out, imported.kind, &rows);
    }
    vec_done(&rows);
    imported.origin = kind_names[imported.kind];
    imported.summary = arena_string(arena, text_string(&out));
    return imported;
}
