/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_text.h"

#include "base/scope.h"
#include "base/vec.h"
#include "decode/exits/exit_text.h"

#include <ctype.h>
#include <stdlib.h>

struct row {
    double number, seconds, running_ratio, self; /* as struct import_row */
    struct view name, where;
    struct view map; /* map: of a table of exits, as exit_row has it */
    bool is_of_toplev; /* the name is "DRAM_Bound", which is published as tma_dram_bound */
};

struct rows {
    struct row *items;
    size_t count, capacity;
};

static const char *const kind_names[] = {
    [IMPORT_UNKNOWN] = "text",           [IMPORT_EXITS] = "table of exits", [IMPORT_REPORT] = "perf report",
    [IMPORT_ANNOTATE] = "perf annotate", [IMPORT_STAT] = "perf stat",       [IMPORT_RUNS] = "timed runs",
    [IMPORT_METRICS] = "top-down metrics", [IMPORT_MAP] = "counts by key", [IMPORT_HISTOGRAM] = "histogram",
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

/*
 * bpftrace's maps count anything: reasons have small numbers or names of their own kind, or the map is called by them.
 */
static bool is_of_exits(const struct exit_row *row)
{
    enum { REASON_MOST = 1100 };
    bool named = view_find(row->map, "reason") >= 0 || view_find(row->map, "exit") >= 0 ||
                 view_starts(row->name, "EXIT_REASON_");
    bool capitals = row->name.length > 0;
    for (size_t at = 0; at < row->name.length; at++)
        capitals &= isupper((unsigned char)row->name.text[at]) || isdigit((unsigned char)row->name.text[at]) ||
                    row->name.text[at] == '_';
    return !row->map.text || named || (row->has_number ? row->number <= REASON_MOST : capitals);
}

static bool row_of_exits(struct view line, struct row *row)
{
    struct exit_row exits;
    if (!exit_text_row(line, &exits) || !is_of_exits(&exits))
        return false;
    *row = (struct row){
        .number = exits.count, .name = exits.name, .map = exits.map, .seconds = exits.has_times ? exits.seconds : 0};
    return true;
}

static bool row_of_map(struct view line, struct row *row)
{
    struct exit_row counted;
    if (!exit_text_row(line, &counted) || !counted.map.text || is_of_exits(&counted))
        return false;
    *row = (struct row){.number = counted.count, .name = counted.name};
    return true;
}

/*
 * How long the range is that a line begins with: "[64, 128)" and "[0]" of bpftrace, "64 -> 127" of bcc; 0: there is
 * none.
 */
static size_t range_length(struct view line)
{
    bool digit = false;
    size_t at = 0;
    for (; at < line.length; at++) {
        char c = line.text[at];
        if (c == ']' || c == ')' || (c == ':' && view_find((struct view){line.text, at}, " -> ") > 0))
            break;
        digit |= isdigit((unsigned char)c) != 0;
        if (!isdigit((unsigned char)c) && !strchr("[(,. ->KMGT", c))
            return 0;
    }
    bool of_bpftrace = line.length && (line.text[0] == '[' || line.text[0] == '(');
    return digit && at < line.length && of_bpftrace == (line.text[at] != ':') ? at + 1 : 0;
}

/* "[64, 128)  20118 |@@@ |", "64 -> 127  : 20118  |*** |" */
static bool row_of_histogram(struct view line, struct row *row)
{
    line = view_trim(line);
    size_t length = range_length(line);
    struct view rest = view_skip(line, length);
    uint64_t count;
    if (!length || !view_u64(view_word(&rest), 10, &count))
        return false;
    row->number = (double)count;
    row->name = view_trim((struct view){line.text, length - (line.text[length - 1] == ':')});
    return true;
}

/* "RAM hit", "L2 miss", "N/A": of what perf mem has before its symbols that is the last word, and no binary. */
static bool is_of_access(struct view word)
{
    return view_equal(word, "hit") || view_equal(word, "miss") || view_equal(word, "N/A");
}

/* Names have single blanks in them, columns are further apart. */
static void symbol_read(struct view before, struct view behind, struct row *row)
{
    ptrdiff_t end = view_find(behind, "  ");
    struct view word;
    row->name = end < 0 ? behind : (struct view){behind.text, (size_t)end};
    while ((word = view_word(&before)).length)
        row->where = word;
    if (is_of_access(row->where)) {
        behind = view_skip(behind, row->name.length);
        row->where = view_word(&behind);
    }
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
    symbol_read((struct view){line.text, (size_t)mark}, view_trim(view_skip(line, (size_t)mark + 4)), row);
    return row->name.length > 0;
}

static bool is_metric(struct view word)
{
    return view_starts(word, "tma_") && word.length > strlen("tma_");
}

/* What a reader wrote behind a line with an arrow is none of it. */
static struct view without_remark(struct view line)
{
    ptrdiff_t arrow = view_find(line, "--->");
    arrow = arrow >= 0 ? arrow : view_find(line, "<---");
    return arrow > 0 ? view_trim((struct view){line.text, (size_t)arrow}) : line;
}

static const char BAR[] = "\xe2\x94\x82";

/*
 * "41.33 │30:     mov    0x10(%rdi,%rax,8),%rdx": as perf annotate draws it, with labels, arrows of jumps, and more
 * columns.
 */
static bool row_behind_bar(struct view line, struct row *row)
{
    ptrdiff_t bar = view_find(line, BAR);
    if (bar < 0 || !view_grouped(view_trim((struct view){line.text, (size_t)bar}), &row->number) || row->number > 100)
        return false;
    for (; bar >= 0; bar = view_find(line, BAR))
        line = view_skip(line, (size_t)bar + sizeof(BAR) - 1);
    line = view_trim(line);
    struct view rest = line, label = view_trim(view_cut(&rest, ':'));
    uint64_t ignored;
    if (rest.length && view_u64(label, 16, &ignored))
        line = view_trim(rest);
    while (line.length && (line.text[0] & 0x80 || line.text[0] == ' '))
        line = view_skip(line, 1);
    row->name = line;
    return line.length > 1 && isalpha((unsigned char)line.text[0]);
}

/* "11:20:01", as tools of the system begin their lines, is no share with an address. */
static bool is_time_of_day(struct view text)
{
    static const char form[] = "dd:dd:dd";
    text = view_trim(text);
    bool is_one = text.length >= sizeof(form) - 1;
    for (size_t at = 0; is_one && at < sizeof(form) - 1; at++)
        is_one = form[at] == 'd' ? isdigit((unsigned char)text.text[at]) != 0 : text.text[at] == form[at];
    return is_one;
}

/* "33.94 :  4011a2: mov 0x58(%rax),%rax", or a share before a line of source or code. */
static bool row_of_annotate(struct view line, struct row *row)
{
    if (view_find(line, BAR) >= 0)
        return row_behind_bar(line, row);
    struct view rest = line, first = view_word(&rest);
    if (share_of(first, &row->number) && row->number <= 100) {
        row->name = without_remark(view_trim(rest));
        return row->name.length > 0 && !is_metric(row->name) && view_find(rest, "[.] ") < 0 &&
               view_find(rest, "[k] ") < 0;
    }
    if (is_time_of_day(line))
        return false;
    struct view percent = view_trim(view_cut(&line, ':'));
    if (!view_grouped(percent, &row->number) || row->number > 100 || !line.length)
        return false;
    struct view address = view_trim(view_cut(&line, ':'));
    uint64_t ignored;
    row->name = without_remark(view_trim(line));
    return row->name.length && view_u64(address, 16, &ignored);
}

/* "BE/Mem  Backend_Bound.Memory_Bound.DRAM_Bound  % Stalls  61.0": toplev's tree, with whatever else stands behind. */
static bool row_of_toplev(struct view line, struct row *row)
{
    static const char *const units[] = {"Slots",           "Clocks",           "Stalls",     "CoreClocks",
                                        "Slots_Estimated", "Clocks_Estimated", "Core_Clocks"};
    struct view word, name = {0};
    while ((word = view_word(&line)).length && !view_equal(word, "%"))
        name = word;
    word = view_word(&line);
    bool has_unit = false;
    for (size_t at = 0; at < array_count(units); at++)
        has_unit |= view_equal(word, units[at]);
    if (!has_unit || !name.length || name.text[0] < 'A' || name.text[0] > 'Z' ||
        !view_grouped(view_word(&line), &row->number))
        return false;
    for (struct view rest = name; rest.length;)
        row->name = view_cut(&rest, '.');
    row->is_of_toplev = true;
    return row->name.length && row->number >= 0 && row->number <= 100;
}

bool import_text_is_class(struct view word)
{
    static const char *const classes[] = {"frontend_bound", "backend_bound",   "bad_speculation", "frontend_memory",
                                          "backend_memory", "backend_core",    "frontend_core",   "smt_contention",
                                          "retiring_fastpath", "retiring_microcode"};
    if (is_metric(word))
        return true;
    for (size_t at = 0; at < array_count(classes); at++)
        if (view_starts(word, classes[at]) &&
            (word.length == strlen(classes[at]) || word.text[strlen(classes[at])] == '_'))
            return true;
    return false;
}

/* "88.8 %  tma_backend_bound", "tma_dram_bound  66.5%", with whatever else stands in the line. */
static bool row_of_metrics(struct view line, struct row *row)
{
    if (row_of_toplev(line, row))
        return true;
    row->is_of_toplev = false;
    struct view word, before = {0};
    bool has_share = false, of_perf = view_find(line, "#") >= 0;
    row->name = (struct view){0};
    while ((word = view_word(&line)).length) {
        double percent;
        if (import_text_is_class(word) || (of_perf && has_share && view_equal(word, "retiring")))
            row->name = word;
        else if (share_of(word, &percent) || (view_equal(word, "%") && view_grouped(before, &percent))) {
            row->number = percent;
            has_share = true;
        }
        before = word;
    }
    return row->name.length && has_share && row->number >= 0 && row->number <= 100;
}

/* "(66.64%)" at the end of a line: the share of the time in which it was counted; perf leaves out 100 %. */
static double running_of(struct view line)
{
    line = view_trim(line);
    double percent;
    for (size_t at = line.length; at > 0 && view_ends(line, "%)"); at--)
        if (line.text[at - 1] == '(') {
            struct view inside = {line.text + at, line.length - at - 1};
            return share_of(inside, &percent) && percent <= 100 ? percent / 100 : 1;
        }
    return 1;
}

static bool row_of_stat(struct view line, struct row *row)
{
    struct view whole = line, count = view_word(&line);
    /* "2." is an item of a list */
    if (!count.length || !isdigit((unsigned char)count.text[count.length - 1]) || !view_grouped(count, &row->number))
        return false;
    struct view name = view_word(&line);
    if (view_equal(name, "msec")) {
        name = view_word(&line);
        row->number *= 1e6; /* clocks count nanoseconds */
    } else {
        (void)!view_count(count, &row->number);
    }
    bool letter = name.length > 2 && ((name.text[0] | 32) >= 'a' && (name.text[0] | 32) <= 'z');
    bool sentence = view_ends(name, ",") || view_ends(name, ".") || view_ends(name, ";"); /* "8 workers, of which" */
    row->name = name;
    row->running_ratio = running_of(whole);
    return letter && !sentence && !view_equal(name, "seconds");
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

/*
 * "172ms", "172 ms", "4.2 minutes"; without a unit seconds, unless it stands behind several words or has no fraction
 * there: that could be anything.
 */
static bool seconds_of(struct view text, struct view name, double *ret_seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1},     {"sec", 1},   {"seconds", 1}, {"ms", 1e-3},   {"msec", 1e-3},
                 {"us", 1e-6}, {"ns", 1e-9}, {"min", 60},    {"minutes", 60}};
    size_t digits = 0;
    while (digits < text.length &&
           (isdigit((unsigned char)text.text[digits]) || text.text[digits] == '.' || text.text[digits] == ','))
        digits++;
    struct view number = {text.text, digits}, unit = view_trim(view_skip(text, digits));
    if (!digits || !view_grouped(number, ret_seconds))
        return false;
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(unit, units[at].unit)) {
            *ret_seconds *= units[at].seconds;
            return true;
        }
    return !unit.length && (!name.length || (view_find(number, ".") > 0 && view_find(name, " ") < 0));
}

/* Seconds, a run a line, perhaps behind a name: "0.164", "0.164 s", "before: 0.164 s". */
static bool row_of_runs(struct view line, struct row *row)
{
    enum { NAME_MOST = 40, INDENT_OF_COUNTS = 8 };
    size_t indent = line.length;
    line = view_trim(line);
    indent -= line.length;
    row->name = (struct view){0};
    /* the count below a stack, as the tools of bcc have it */
    if (indent >= INDENT_OF_COUNTS && view_u64(line, 10, &(uint64_t){0}))
        return false;
    if (shell_time_of(line, row))
        return true;
    ptrdiff_t colon = view_find(line, ": ");
    bool named = colon > 0 && colon <= NAME_MOST;
    if (named)
        row->name = (struct view){line.text, (size_t)colon};
    return seconds_of(view_trim(named ? view_skip(line, (size_t)colon + 1) : line), row->name, &row->number);
}

static bool (*const row_readers[])(struct view line, struct row *row) = {
    [IMPORT_EXITS] = row_of_exits, [IMPORT_REPORT] = row_of_report, [IMPORT_ANNOTATE] = row_of_annotate,
    [IMPORT_STAT] = row_of_stat,   [IMPORT_RUNS] = row_of_runs,     [IMPORT_METRICS] = row_of_metrics,
    [IMPORT_MAP] = row_of_map,     [IMPORT_HISTOGRAM] = row_of_histogram,
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

static bool view_same(struct view a, struct view b)
{
    return a.length == b.length && (!a.length || memcmp(a.text, b.text, a.length) == 0);
}

static struct view view_kept(struct view text, struct arena *arena)
{
    return text.length ? (struct view){arena_copy(arena, text.text, text.length), text.length} : (struct view){0};
}

static struct view published_name(struct view name, struct arena *arena)
{
    scoped_text struct text out = {0};
    text_add(&out, "tma_");
    for (size_t at = 0; at < name.length; at++)
        text_add_char(&out, (char)tolower((unsigned char)name.text[at]));
    return view_kept(text_view(&out), arena);
}

static size_t rows_read(struct view text, enum import_kind kind, struct rows *rows, struct arena *arena)
{
    enum { LINE_MOST = 1024 };
    struct view line, map = kind == IMPORT_EXITS ? exit_text_map(text) : (struct view){0};
    char copy[LINE_MOST];
    rows->count = 0;
    while (view_line(&text, &line)) {
        struct row row = {0};
        struct view plain = without_bars(line, copy, sizeof(copy));
        if (!row_readers[kind](plain, &row) || !view_same(row.map, map))
            continue;
        row.name = row.is_of_toplev ? published_name(row.name, arena) : view_kept(row.name, arena);
        row.where = view_kept(row.where, arena);
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

static void summarise_shares(struct text *out, const struct rows *rows, enum import_kind kind)
{
    bool are_counts = kind == IMPORT_EXITS || kind == IMPORT_MAP;
    double sum = 0;
    for (size_t at = 0; at < rows->count; at++)
        sum += rows->items[at].number;
    if (are_counts)
        text_printf(out, kind == IMPORT_EXITS ? "%.0f exits for %zu reasons: " : "%.0f in all for %zu keys: ", sum,
                    rows->count);
    for (size_t at = 0; at < rows->count && at < 3; at++) {
        text_add(out, at ? ", " : "");
        uint64_t number;
        text_add(out, kind == IMPORT_EXITS && view_u64(rows->items[at].name, 10, &number) ? "reason " : "");
        add_name(out, rows->items[at].name);
        text_printf(out, " %.1f %%",
                    !are_counts ? rows->items[at].number
                    : sum > 0   ? 100 * rows->items[at].number / sum
                                : 0);
    }
}

/* How many values, and where the middle one and the most of them are. */
static void summarise_histogram(struct text *out, const struct rows *rows)
{
    const struct row *most = NULL, *middle = NULL;
    double sum = 0, passed = 0;
    for (size_t at = 0; at < rows->count; at++) {
        sum += rows->items[at].number;
        most = !most || rows->items[at].number > most->number ? &rows->items[at] : most;
    }
    for (size_t at = 0; at < rows->count && !middle; at++) {
        passed += rows->items[at].number;
        middle = 2 * passed >= sum ? &rows->items[at] : NULL;
    }
    text_printf(out, "%.15g values in %zu ranges, the middle one in ", sum, rows->count);
    add_name(out, middle->name);
    text_add(out, ", the most in ");
    add_name(out, most->name);
}

static void summarise(struct text *out, enum import_kind kind, struct rows *rows)
{
    if (kind != IMPORT_STAT && kind != IMPORT_HISTOGRAM)
        qsort(rows->items, rows->count, sizeof(*rows->items), row_compare);
    switch (kind) {
    case IMPORT_STAT:
        for (size_t at = 0; at < rows->count && at < 4; at++) {
            bool is_clock = view_ends(rows->items[at].name, "-clock");
            text_add(out, at ? ", " : "");
            text_printf(out, is_clock ? "%.6g ms of " : "%.15g ",
                        is_clock ? rows->items[at].number * 1e-6 : rows->items[at].number);
            add_name(out, rows->items[at].name);
        }
        break;
    case IMPORT_RUNS:
        text_printf(out, "%zu runs, %.6g to %.6g s, median %.6g s", rows->count, rows->items[rows->count - 1].number,
                    rows->items[0].number,
                    (rows->items[rows->count / 2].number + rows->items[(rows->count - 1) / 2].number) / 2);
        break;
    case IMPORT_METRICS:
        for (size_t at = 0; at < rows->count && at < 8; at++) {
            text_add(out, at ? ", " : "");
            add_name(out, rows->items[at].name);
            text_printf(out, " %.4g %%", rows->items[at].number);
        }
        break;
    case IMPORT_HISTOGRAM:
        summarise_histogram(out, rows);
        break;
    default:
        summarise_shares(out, rows, kind);
    }
}

static struct import_row *rows_keep(const struct rows *rows, struct arena *arena)
{
    struct import_row *kept = arena_array(arena, struct import_row, rows->count + 1);
    for (size_t at = 0; at < rows->count; at++) {
        scoped_text struct text name = {0};
        add_name(&name, rows->items[at].name);
        scoped_text struct text where = {0};
        add_name(&where, rows->items[at].where);
        kept[at] = (struct import_row){
            .where = arena_string(arena, text_string(&where)),
            .name = arena_string(arena, text_string(&name)),
            .number = rows->items[at].number,
            .seconds = rows->items[at].seconds,
            .running_ratio = rows->items[at].running_ratio,
            .self = rows->items[at].self,
        };
    }
    return kept;
}

/* "compute_tile():", whatever bar stands before it */
static struct view function_alone(struct view line)
{
    static const char call[] = "():";
    struct view name = {line.text, line.length - sizeof(call) + 1}, word;
    if (line.length < sizeof(call) || !view_ends(line, call))
        return (struct view){0};
    size_t at = name.length;
    while (at && (isalnum((unsigned char)name.text[at - 1]) || strchr("_:~<>,.", name.text[at - 1])))
        at--;
    struct view before = {name.text, at};
    bool alone = !(word = view_word(&before)).length || ((view_equal(word, BAR) || view_equal(word, ":") ||
                                                          view_equal(word, "|")) && !view_word(&before).length);
    return alone ? view_skip(name, at) : (struct view){0};
}

/* "0000000000401136 <scan_rows>:" or "scan_rows():" above its lines, with or without a bar before it. */
static struct view function_of_listing(struct view line)
{
    line = view_trim(line);
    ptrdiff_t open = view_find(line, " <");
    if (open < 1 || !view_ends(line, ">:"))
        return function_alone(line);
    struct view name = view_skip(line, (size_t)open + 2);
    name.length -= 2;
    return name;
}

static void functions_put(struct view text, struct imported_text *imported, struct import_row *rows,
                          struct arena *arena)
{
    struct view line, function = {0};
    while (!function.length && view_line(&text, &line))
        function = function_of_listing(line);
    scoped_text struct text name = {0};
    add_name(&name, function);
    const char *kept = arena_string(arena, text_string(&name));
    for (size_t at = 0; at < imported->row_count; at++)
        rows[at].where = kept;
}

static struct imported_text table_of_kind(struct view text, enum import_kind kind, struct arena *arena)
{
    struct rows rows = {0};
    scoped_text struct text out = {0};
    struct imported_text imported = {
        .kind = kind, .heading = "", .event = "", .segment = text, .origin = kind_names[kind]};
    imported.row_count = rows_read(text, kind, &rows, arena);
    struct import_row *kept = rows_keep(&rows, arena);
    if (kind == IMPORT_ANNOTATE)
        functions_put(text, &imported, kept, arena);
    imported.rows = kept;
    if (imported.row_count)
        summarise(&out, kind, &rows);
    imported.summary = arena_string(arena, text_string(&out));
    vec_done(&rows);
    return imported;
}

static struct imported_text text_unread(struct view text, struct arena *arena)
{
    size_t lines = 0;
    for (struct view line; view_line(&text, &line);)
        lines++;
    return (struct imported_text){
        .kind = IMPORT_UNKNOWN, .heading = "", .event = "", .segment = text, .origin = kind_names[IMPORT_UNKNOWN],
        .summary = arena_printf(arena, "%zu lines in no form that plumb knows; nothing was read from them", lines)};
}

struct imported_text import_text_read(struct view text, struct arena *arena)
{
    struct rows rows = {0};
    enum import_kind found = IMPORT_UNKNOWN;
    size_t most = 0;
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++) {
        size_t count = rows_read(text, (enum import_kind)kind, &rows, arena);
        if (count > most) {
            most = count;
            found = (enum import_kind)kind;
        }
    }
    vec_done(&rows);
    return found == IMPORT_UNKNOWN ? text_unread(text, arena) : table_of_kind(text, found, arena);
}

/* ---- several tables in one text ---- */

/* The kinds that a line could be a row of, as bits; 0: none. */
static unsigned row_kinds(struct view line)
{
    enum { LINE_MOST = 1024 };
    char copy[LINE_MOST];
    unsigned kinds = 0;
    struct view plain = without_bars(line, copy, sizeof(copy));
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++) {
        struct row row = {0};
        kinds |= row_readers[kind](plain, &row) ? 1u << kind : 0;
    }
    return kinds;
}

bool import_text_is_gap(struct view line)
{
    line = view_trim(line);
    return !line.length || view_starts(line, "```");
}

bool import_text_is_prose(struct view line, bool after_gap, struct view rest)
{
    struct view next, text = view_trim(line);
    bool before_gap = !view_line(&rest, &next) || import_text_is_gap(next);
    bool alone = after_gap && before_gap; /* "TDX:" above a block of its own */
    size_t least = !view_ends(text, ":") ? 4 : alone ? 1 : 2;
    if (!text.length || !((text.text[0] | 32) >= 'a' && (text.text[0] | 32) <= 'z') || !(after_gap || before_gap))
        return false;
    size_t words = 0;
    while (words < least && view_word(&text).length)
        words++;
    return words == least && !row_kinds(line);
}

/* What was sampled: "of event 'NAME'" of a report's head, or the option of the command that recorded it. */
static struct view event_in(struct view text)
{
    static const char of_event[] = "of event '";
    ptrdiff_t at = view_find(text, of_event);
    if (at >= 0) {
        struct view rest = view_skip(text, (size_t)at + sizeof(of_event) - 1);
        return view_cut(&rest, '\'');
    }
    ptrdiff_t command = view_find(text, "perf record");
    struct view rest = command >= 0 ? view_skip(text, (size_t)command) : (struct view){0};
    ptrdiff_t option = command >= 0 ? view_find(rest, " -e ") : -1;
    if (option < 0)
        return (struct view){0};
    rest = view_skip(rest, (size_t)option + 4);
    return view_word(&rest);
}

/* "seconds time elapsed", of several runs behind how far they differ: "+- 0.012 seconds time elapsed". */
static bool says_elapsed(struct view rest)
{
    double differs;
    rest = view_trim(rest);
    if (view_starts(rest, "+- ")) {
        rest = view_skip(rest, 3);
        if (!view_grouped(view_word(&rest), &differs))
            return false;
    }
    return view_starts(view_trim(rest), "seconds time elapsed");
}

/* A time that stands beside the counts, in the words of perf stat or as a timed run with its unit. */
static double elapsed_in(struct view text)
{
    struct view line;
    while (view_line(&text, &line)) {
        struct view rest = line;
        double seconds;
        struct row row = {0};
        if (view_decimal(view_word(&rest), &seconds) && says_elapsed(rest))
            return seconds;
        if (view_ends(view_trim(line), "s") && row_of_runs(line, &row))
            return row.number;
    }
    return 0;
}

static const char *kept_string(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; at < text.length && at < 300; at++)
        text_add_char(&out, (unsigned char)text.text[at] < ' ' ? ' ' : text.text[at]);
    return arena_string(arena, text_string(&out));
}

const char *import_text_heading(struct view line, struct arena *arena)
{
    line = view_trim(line);
    line.length -= view_ends(line, ":");
    return kept_string(line, arena);
}

/* "$ perf stat -e cycles ./wide": what it prints begins anew. */
static bool is_command(struct view line)
{
    struct view rest = view_trim(line), prompt = view_word(&rest);
    return (view_equal(prompt, "$") || view_equal(prompt, "%") || view_equal(prompt, "#")) &&
           view_starts(view_trim(rest), "perf ");
}

bool import_text_next(struct view *text, struct arena *arena, struct imported_text *ret_table)
{
    struct view heading = {0}, line, segment = {text->text, 0}, behind_gap = *text;
    bool after_gap = true, parted = false, ended = false; /* parted: a gap was met since its last row */
    unsigned kinds = 0;
    while (!ended) {
        struct view rest = *text;
        ended = !view_line(&rest, &line);
        bool prose = !ended && import_text_is_prose(line, after_gap, rest);
        unsigned here = ended || prose ? 0 : row_kinds(line);
        bool command = !ended && kinds && is_command(line);
        bool other = kinds && parted && here && !(here & kinds);
        if (other) { /* what stands above its first row is its own */
            *text = behind_gap;
            segment.length = (size_t)(behind_gap.text - segment.text);
        }
        if (other || command || (kinds && (prose || ended)))
            break;
        if (ended)
            return false;
        if (prose) {
            heading = line;
            segment.text = rest.text;
        }
        after_gap = import_text_is_gap(line);
        kinds = !here ? kinds : kinds & here ? kinds & here : kinds | here;
        parted = after_gap || (parted && !here);
        *text = rest;
        behind_gap = after_gap ? rest : behind_gap;
        segment.length = (size_t)(rest.text - segment.text);
    }
    *ret_table = import_text_read(segment, arena);
    ret_table->heading = import_text_heading(heading, arena);
    struct view event = event_in(segment);
    ret_table->event = kept_string(event.length ? event : event_in(heading), arena);
    ret_table->elapsed_s = ret_table->kind == IMPORT_STAT ? elapsed_in(segment) : 0;
    return true;
}

bool import_text_beside(const struct imported_text *table, struct arena *arena, struct imported_text *ret_beside)
{
    if (table->kind != IMPORT_STAT && table->kind != IMPORT_METRICS)
        return false;
    struct imported_text beside =
        table_of_kind(table->segment, table->kind == IMPORT_STAT ? IMPORT_METRICS : IMPORT_STAT, arena);
    beside.heading = table->heading;
    beside.elapsed_s = beside.kind == IMPORT_STAT ? elapsed_in(table->segment) : 0;
    if (!beside.row_count)
        return false;
    *ret_beside = beside;
    return true;
}

/* ---- what wasn't read ---- */

static size_t words_in(struct view line)
{
    size_t words = 0;
    while (view_word(&line).length)
        words++;
    return words;
}

/*
 * Numbers in columns; what begins with # is a remark, rules have no digits, and words with single blanks between them
 * are a sentence that begins with a number.
 */
static bool looks_like_row(struct view line)
{
    enum { ROW_WORDS_MOST = 12, COUNT_WORDS_MOST = 5 };
    line = view_trim(line);
    size_t words = words_in(line);
    bool digit = false, first = line.length && isdigit((unsigned char)line.text[0]);
    bool columns = view_find(line, "  ") >= 0 || view_find(line, "\t") >= 0 || view_find(line, "|") >= 0 ||
                   view_find(line, BAR) >= 0;
    if ((words > ROW_WORDS_MOST && view_find(line, "|") < 0 && !first) || (words > COUNT_WORDS_MOST && !columns))
        return false;
    if (function_of_listing(line).length)
        return false;
    for (size_t at = 0; at < line.length; at++)
        digit |= isdigit((unsigned char)line.text[at]) != 0;
    return digit && !view_starts(line, "#") && (columns || first);
}

static bool is_read(struct view line, enum import_kind kind)
{
    enum { LINE_MOST = 1024 };
    char copy[LINE_MOST];
    struct row row = {0};
    struct view plain = without_bars(line, copy, sizeof(copy));
    bool beside = kind == IMPORT_STAT || kind == IMPORT_METRICS;
    if (kind == IMPORT_UNKNOWN)
        return false;
    return row_readers[kind](plain, &row) ||
           (beside && (row_of_stat(plain, &row) || row_of_metrics(plain, &row) || elapsed_in(line) > 0));
}

size_t import_text_unread(struct view text, enum import_kind kind, struct text *out)
{
    enum { NAMED_MOST = 3, LINE_NAMED = 60 };
    size_t count = 0;
    for (struct view line; view_line(&text, &line);) {
        if (!looks_like_row(line) || is_read(line, kind))
            continue;
        line = view_trim(line);
        if (count++ < NAMED_MOST) {
            text_add(out, count > 1 ? ", '" : "'");
            add_name(out, (struct view){line.text, line.length < LINE_NAMED ? line.length : LINE_NAMED});
            text_add(out, "'");
        }
    }
    return count;
}
