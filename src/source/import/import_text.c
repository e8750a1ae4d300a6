/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_text.h"

#include "base/scope.h"
#include "base/hashmap.h"
#include "base/vec.h"
#include "decode/exits/exit_text.h"
#include "source/import/import_known.h"
#include "source/import/import_line.h"

#include <ctype.h>
#include <stdlib.h>

struct rows {
    struct import_line *items;
    size_t count, capacity;
};

static const char *const kind_names[] = {
    [IMPORT_UNKNOWN] = "text",
    [IMPORT_EXITS] = "table of exits",
    [IMPORT_REPORT] = "perf report",
    [IMPORT_ANNOTATE] = "perf annotate",
    [IMPORT_STAT] = "perf stat",
    [IMPORT_RUNS] = "timed runs",
    [IMPORT_METRICS] = "top-down metrics",
    [IMPORT_MAP] = "counts by key",
    [IMPORT_HISTOGRAM] = "histogram",
};
_Static_assert(array_count(kind_names) == IMPORT_KIND_COUNT, "a name for each kind");

const char *import_kind_name(enum import_kind kind)
{
    return kind_names[kind];
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
    struct view line, map = kind == IMPORT_EXITS ? exit_text_map(text) : (struct view){0};
    char copy[IMPORT_LINE_MOST];
    rows->count = 0;
    while (view_line(&text, &line)) {
        struct import_line row;
        if (!import_line_read(line, kind, copy, &row) || !view_same(row.map, map))
            continue;
        row.name = row.is_of_toplev ? published_name(row.name, arena) : view_kept(row.name, arena);
        row.where = view_kept(row.where, arena);
        row.callers = view_kept(row.callers, arena);
        *vec_push(rows) = row;
    }
    return rows->count;
}

static int row_compare(const void *a, const void *b)
{
    const struct import_line *left = a, *right = b;
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
    const struct import_line *most = NULL, *middle = NULL;
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

/* How far the runs behind a mean differ, as its tool said it. */
static void summarise_spreads(struct text *out, const struct rows *rows)
{
    enum { NAMED_MOST = 8 };
    size_t named = 0;
    for (size_t at = 0; at < rows->count && named < NAMED_MOST; at++) {
        const struct import_line *row = &rows->items[at];
        if (!row->where.length)
            continue;
        text_add(out, named++ ? ", " : "; means: ");
        add_name(out, row->name);
        text_printf(out, "%s%.6g s ", row->name.length ? " " : "", row->number);
        add_name(out, row->where);
    }
}

static bool is_first_of_name(const struct rows *rows, size_t row)
{
    for (size_t at = 0; at < row; at++)
        if (views_equal_caseless(rows->items[at].name, rows->items[row].name))
            return false;
    return true;
}

/* Runs of several names are of several things: each by its own, and no middle of all. Shape: sorted. */
static void summarise_named(struct text *out, const struct rows *rows, size_t names)
{
    enum { NAMED_MOST = 6 };
    size_t named = 0;
    for (size_t at = 0; at < rows->count && named < NAMED_MOST; at++) {
        if (!is_first_of_name(rows, at))
            continue;
        double least = rows->items[at].number;
        for (size_t other = at; other < rows->count; other++)
            least =
                views_equal_caseless(rows->items[other].name, rows->items[at].name) ? rows->items[other].number : least;
        text_add(out, named++ ? "; " : ": ");
        add_name(out, rows->items[at].name);
        text_add(out, rows->items[at].name.length ? " " : "");
        if (least < rows->items[at].number)
            text_printf(out, "%.6g to ", least);
        text_printf(out, "%.6g s", rows->items[at].number);
    }
    if (named < names)
        text_printf(out, " and %zu more", names - named);
}

static void summarise_runs(struct text *out, const struct rows *rows)
{
    size_t names = 0, means = 0;
    for (size_t at = 0; at < rows->count; at++) {
        names += is_first_of_name(rows, at);
        means += rows->items[at].where.length > 0;
    }
    text_printf(out, "%zu runs, %.6g to %.6g s", rows->count, rows->items[rows->count - 1].number,
                rows->items[0].number);
    if (names < 2)
        text_printf(out, ", median %.6g s",
                    (rows->items[rows->count / 2].number + rows->items[(rows->count - 1) / 2].number) / 2);
    else if (means < rows->count)
        summarise_named(out, rows, names);
    summarise_spreads(out, rows);
}

static void summarise(struct text *out, enum import_kind kind, struct rows *rows)
{
    static const double RUNNING_LITTLE = 0.2; /* what was counted in less says little of the rest */
    if (kind != IMPORT_STAT && kind != IMPORT_HISTOGRAM)
        qsort(rows->items, rows->count, sizeof(*rows->items), row_compare);
    switch (kind) {
    case IMPORT_STAT:
        for (size_t at = 0; at < rows->count && at < 4; at++) {
            bool is_clock = view_ends(rows->items[at].name, "-clock"), none = rows->items[at].running_ratio <= 0;
            text_add(out, at ? ", " : "");
            if (!none)
                text_printf(out, is_clock ? "%.6g ms of " : "%.15g ",
                            is_clock ? rows->items[at].number * 1e-6 : rows->items[at].number);
            add_name(out, rows->items[at].name);
            if (none)
                text_add(out, view_ends(rows->items[at].where, "supported") ? " (not supported)" : " (not counted)");
            else if (rows->items[at].running_ratio < RUNNING_LITTLE)
                text_printf(out, " (in %.2g %% of the time)", rows->items[at].running_ratio * 100);
        }
        break;
    case IMPORT_RUNS:
        summarise_runs(out, rows);
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
            .callers = arena_string_n(arena, rows->items[at].callers.text, rows->items[at].callers.length),
            .name = arena_string(arena, text_string(&name)),
            .number = rows->items[at].number,
            .seconds = rows->items[at].seconds,
            .running_ratio = rows->items[at].running_ratio,
            .self = rows->items[at].self,
        };
    }
    return kept;
}

/* "int, int", but not "TDX", "before" */
static bool are_types(struct view text)
{
    static const char *const types[] = {"int",      "char",   "void",  "long",   "short",  "double",
                                        "float",    "bool",   "const", "signed", "size_t", "auto",
                                        "unsigned", "struct", "*",     "&",      "::",     "_t"};
    for (size_t type = 0; type < array_count(types); type++) {
        size_t length = strlen(types[type]);
        for (size_t at = 0; at + length <= text.length; at++) {
            bool begins = at == 0 || !isalnum((unsigned char)text.text[at - 1]),
                 ends = at + length == text.length || !isalnum((unsigned char)text.text[at + length]);
            bool is_word = isalpha((unsigned char)types[type][0]) != 0;
            if (memcmp(text.text + at, types[type], length) == 0 && (!is_word || (begins && ends)))
                return true;
        }
    }
    return false;
}

/* "compute_tile():", "compute(int, int):" without the brackets and what stands in them; empty: it has none. */
static struct view before_arguments(struct view line)
{
    size_t at = line.length, depth = 0;
    if (!view_ends(line, "):"))
        return (struct view){0};
    for (at -= 1; at > 0; at--) {
        depth += line.text[at - 1] == ')';
        depth -= line.text[at - 1] == '(';
        if (!depth)
            break;
    }
    struct view name = {line.text, at ? at - 1 : 0}, arguments = view_skip(line, at);
    arguments.length -= depth || !at ? arguments.length : 2;
    return name.length && (!arguments.length || are_types(arguments)) ? name : (struct view){0};
}

/* "compute_tile():", whatever bar stands before it */
static struct view function_alone(struct view line)
{
    struct view name = before_arguments(line), word;
    size_t at = name.length;
    while (at && (isalnum((unsigned char)name.text[at - 1]) || strchr("_:~<>,.", name.text[at - 1])))
        at--;
    struct view before = {name.text, at};
    bool alone = !(word = view_word(&before)).length ||
                 ((view_equal(word, IMPORT_LINE_BAR) || view_equal(word, ":") || view_equal(word, "|")) &&
                  !view_word(&before).length);
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
    struct imported_text imported = {.kind = kind,
                                     .heading = "",
                                     .above = "",
                                     .label = "",
                                     .event = "",
                                     .segment = text,
                                     .origin = kind_names[kind]};
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
        .kind = IMPORT_UNKNOWN,
        .heading = "",
        .above = "",
        .label = "",
        .event = "",
        .segment = text,
        .origin = kind_names[IMPORT_UNKNOWN],
        .summary = arena_printf(arena, "%zu lines in no form that plumb knows; nothing was read from them", lines)};
}

/* "compile: 12.1 s", "link: 3.4 s": what one run does in turns is no two runs. */
static bool are_phases(const struct rows *rows)
{
    static const char *const phases[] = {"planning",     "execution",    "parse",    "parsing",        "rewriting",
                                         "setup",        "startup",      "teardown", "initialisation", "initialization",
                                         "optimisation", "optimization", "compile",  "compilation",    "link",
                                         "linking",      "loading",      "warmup",   "cleanup"};
    size_t found = 0;
    for (size_t at = 0; at < rows->count; at++) {
        struct view name = rows->items[at].name;
        found += view_is_any_caseless(view_word(&name), phases, array_count(phases)) &&
                 !(at && views_equal_caseless(rows->items[at].name, rows->items[0].name));
    }
    return rows->count > 1 && found == rows->count;
}

/* "12", as grep -c prints it: one whole number alone is no list of times. */
static bool is_list(enum import_kind kind, const struct rows *rows)
{
    enum { BARE_LEAST = 2 };
    size_t bare = 0;
    for (size_t at = 0; at < rows->count; at++)
        bare += rows->items[at].is_bare;
    return kind != IMPORT_RUNS || ((bare < rows->count || bare >= BARE_LEAST) && !are_phases(rows));
}

struct imported_text import_text_read(struct view text, struct arena *arena)
{
    struct rows rows = {0};
    enum import_kind found = IMPORT_UNKNOWN;
    size_t most = 0;
    for (int kind = IMPORT_EXITS; kind < IMPORT_KIND_COUNT; kind++) {
        size_t count = rows_read(text, (enum import_kind)kind, &rows, arena);
        if (count > most && is_list((enum import_kind)kind, &rows)) {
            most = count;
            found = (enum import_kind)kind;
        }
    }
    vec_done(&rows);
    return found == IMPORT_UNKNOWN ? text_unread(text, arena) : table_of_kind(text, found, arena);
}

static size_t words_in(struct view line)
{
    size_t words = 0;
    while (view_word(&line).length)
        words++;
    return words;
}

/* ---- several tables in one text ---- */

static bool is_fence(struct view line)
{
    return view_starts(view_trim(line), "```");
}

bool import_text_is_gap(struct view line)
{
    return !view_trim(line).length || is_fence(line);
}

/* Without the marks that make a heading of Markdown ("## ", "**"); ret_level: how many # there were. */
static struct view without_marks(struct view line, size_t *ret_level)
{
    line = view_trim(line);
    size_t level = 0;
    while (level < line.length && line.text[level] == '#')
        level++;
    bool is_heading = level && level < line.length && line.text[level] == ' ';
    *ret_level = is_heading ? level : 0;
    line = is_heading ? view_trim(view_skip(line, level)) : line;
    while (view_starts(line, "**") || view_ends(line, "**")) {
        line = view_starts(line, "**") ? view_skip(line, 2) : line;
        line.length -= view_ends(line, "**") ? 2 : 0;
    }
    return line;
}

/* "$", "%", "user@host:~/src$" */
static bool is_prompt(struct view word)
{
    bool is_end = view_ends(word, "$") || view_ends(word, "%") || view_ends(word, "#");
    return is_end && (word.length == 1 || view_find(word, "@") > 0);
}

/* "$ perf stat -e cycles ./wide": what it prints begins anew. */
static bool is_command(struct view line)
{
    struct view rest = view_trim(line), prompt = view_word(&rest);
    return is_prompt(prompt) && view_starts(view_trim(rest), "perf ");
}

/* The next line that isn't blank opens a fence or is a command: what stands above it is its name. */
static bool fence_follows(struct view rest)
{
    struct view line;
    while (view_line(&rest, &line))
        if (view_trim(line).length)
            return is_fence(line) || is_command(line);
    return false;
}

bool import_text_is_prose(struct view line, bool after_gap, struct view rest)
{
    size_t level;
    struct view next, text = without_marks(line, &level), behind = rest;
    bool before_gap = !view_line(&behind, &next) || import_text_is_gap(next);
    bool alone = after_gap && before_gap; /* "TDX:" above a block of its own */
    if (level == 1 && !alone)             /* perf's own remarks begin with one #, too */
        return false;
    bool is_of_command = after_gap && !before_gap && is_command(next); /* "JIT" right above "$ perf stat" */
    bool is_name = level > 1 || is_of_command || (alone && (level || view_ends(text, ":") || fence_follows(rest)));
    size_t least = is_name ? 1 : view_ends(text, ":") ? 2 : 4;
    if (!text.length || !((text.text[0] | 32) >= 'a' && (text.text[0] | 32) <= 'z') ||
        !(after_gap || before_gap || level > 1))
        return false;
    if (function_of_listing(line).length && view_find(line, " ") >= 0)
        return false;
    size_t words = 0;
    while (words < least && view_word(&text).length)
        words++;
    return words == least && !import_line_kinds(line);
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
    rest = view_word(&rest);
    while (rest.length && strchr("`):;,\"'", rest.text[rest.length - 1]))
        rest.length--;
    return rest;
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
        char copy[IMPORT_LINE_MOST];
        struct import_line row;
        if (view_decimal(view_word(&rest), &seconds) && says_elapsed(rest))
            return seconds;
        if (import_line_read(line, IMPORT_RUNS, copy, &row) && (row.where.length || view_ends(view_trim(line), "s")))
            return row.number;
    }
    return 0;
}

/* "6.103002214 seconds time elapsed", "5.900000000 seconds user" */
static bool is_time_of_stat(struct view line)
{
    static const char *const behind[] = {"seconds user", "seconds sys"};
    double seconds;
    bool number = view_decimal(view_word(&line), &seconds), of_stat = says_elapsed(line);
    for (size_t at = 0; at < array_count(behind); at++)
        of_stat |= view_equal(view_trim(line), behind[at]);
    return number && of_stat;
}

/* Numbers in columns, which a sentence doesn't have: runs of blanks part them. */
static bool is_in_columns(struct view line)
{
    enum { GAPS_LEAST = 3 };
    size_t gaps = 0;
    bool digit = false;
    line = view_trim(line);
    for (size_t at = 1; at + 1 < line.length; at++) {
        gaps += line.text[at - 1] != ' ' && line.text[at] == ' ' && line.text[at + 1] == ' ';
        digit |= isdigit((unsigned char)line.text[at]) != 0;
    }
    return digit && gaps >= GAPS_LEAST;
}

/* "==> cpu.max <==", as head and tail put it above a file. */
static bool is_name_of_file(struct view line)
{
    line = view_trim(line);
    return view_starts(line, "==> ") && view_ends(line, " <==");
}

/* What tools alone print, whatever a name in it says in a sentence. */
static bool is_row_of_tool(struct view line)
{
    static const enum import_kind kinds[] = {IMPORT_STAT, IMPORT_REPORT, IMPORT_MAP, IMPORT_HISTOGRAM};
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    bool is_row = is_time_of_stat(line) || is_in_columns(line) || is_name_of_file(line);
    for (size_t at = 0; at < array_count(kinds) && !is_row; at++)
        is_row = import_line_read(line, kinds[at], copy, &row);
    return is_row;
}

struct view import_text_without_rows(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    while (view_line(&rest, &line)) {
        bool is_row = is_row_of_tool(line);
        turned |= is_row;
        if (!is_row)
            text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}

static const char *kept_string(struct view text, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; at < text.length && at < 300; at++)
        text_add_char(&out, (unsigned char)text.text[at] < ' ' ? ' ' : text.text[at]);
    return arena_string(arena, text_string(&out));
}

/* perf mem's shares are of how long its sampled loads took (their weight), and not of how many there were. */
static bool is_of_weights(struct view text)
{
    for (struct view line; view_line(&text, &line);)
        if (view_find(line, "Overhead") >= 0 && view_find(line, "Memory access") > 0)
            return true;
    return false;
}

/* What a table's shares are of samples of: its own words say it, or those above it. "": nobody does. */
static const char *event_of(struct view segment, struct view heading, struct arena *arena)
{
    struct view event = event_in(segment);
    event = event.length ? event : event_in(heading);
    if (!is_of_weights(segment))
        return kept_string(event, arena);
    return event.length ? arena_printf(arena, "weight of %.*s", (int)event.length, event.text) : "weight of load";
}

const char *import_text_heading(struct view line, struct arena *arena)
{
    size_t ignored;
    line = without_marks(line, &ignored);
    line.length -= view_ends(line, ":");
    return kept_string(line, arena);
}

/*
 * "random:", "-O0:" right between the counts of two runs; a function above its listing is another thing.
 */
static bool is_name_of_block(struct view line, struct view rest)
{
    enum { WORDS_MOST = 4 };
    struct view next, text = view_trim(line);
    bool letter = text.length > 1 && isalpha((unsigned char)text.text[text.text[0] == '-']);
    return letter && view_ends(text, ":") && words_in(text) <= WORDS_MOST && !function_of_listing(line).length &&
           !import_line_kinds(line) && view_line(&rest, &next) && import_line_kinds(next);
}

/* "event  count": what stands in the columns below it. */
static bool is_head_of_columns(struct view line)
{
    static const char *const words[] = {"event",  "events", "counter", "counters", "count", "counts",
                                        "metric", "value",  "values",  "name",     "unit"};
    bool columns = view_find(line, "  ") >= 0 || view_find(line, "\t") >= 0 || view_find(line, "|") >= 0;
    for (struct view word; (word = view_word(&line)).length;)
        columns |= view_is_any_caseless(word, words, array_count(words));
    return columns;
}

/* "ATen", "NNC, no avx512" right above counts, as people paste them: its name without a mark of one. */
static bool is_bare_name_of_counts(struct view line, struct view rest)
{
    enum { WORDS_MOST = 4 };
    struct view next, text = view_trim(line);
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    return text.length && isalpha((unsigned char)text.text[0]) && isalnum((unsigned char)text.text[text.length - 1]) &&
           words_in(text) <= WORDS_MOST && !is_head_of_columns(text) && !import_line_kinds(line) &&
           view_line(&rest, &next) && import_line_read(next, IMPORT_STAT, copy, &row);
}

/* The names of a table's rows so far, by their hashes; of a long one the first. */
struct names_met {
    uint64_t hashes[64];
    size_t count;
};

/* Whether a row of this name was met, where a table has each name once; else it is noted. */
static bool names_meet(struct names_met *names, struct view line, unsigned kinds)
{
    static const enum import_kind once[] = {IMPORT_EXITS, IMPORT_METRICS, IMPORT_STAT};
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    size_t at = 0;
    while (at < array_count(once) && !(kinds >> once[at] & 1))
        at++;
    if (at == array_count(once) || !import_line_read(line, once[at], copy, &row))
        return false;
    uint64_t hash = hash_bytes(row.name.text, row.name.length);
    for (size_t met = 0; met < names->count; met++)
        if (names->hashes[met] == hash)
            return true;
    if (names->count < array_count(names->hashes))
        names->hashes[names->count++] = hash;
    return false;
}

/* "Before (v2.13.4)", "After": which of two it is, without a mark, too. */
static bool is_of_time(struct view line)
{
    static const char *const times[] = {"before", "after"};
    return view_is_any_caseless(view_word(&line), times, array_count(times));
}

/* "Counted in the guest for a while, hv-11:" is of hv-11; length 0: it is no name. */
static struct view label_of(struct view line)
{
    enum { WORDS_MOST = 4 };
    size_t ignored;
    line = without_marks(line, &ignored);
    if (!view_ends(line, ":") && !is_of_time(line))
        return (struct view){0};
    line.length -= view_ends(line, ":");
    for (ptrdiff_t comma; words_in(line) > WORDS_MOST && (comma = view_find(line, ", ")) >= 0;)
        line = view_skip(line, (size_t)comma + 2);
    bool is_name = line.length && isalpha((unsigned char)line.text[0]) && words_in(line) <= WORDS_MOST;
    return is_name ? line : (struct view){0};
}

bool import_text_next(struct view *text, struct arena *arena, struct imported_text *ret_table)
{
    static const unsigned OF_RUNS = 1u << IMPORT_STAT | 1u << IMPORT_METRICS | 1u << IMPORT_EXITS;
    struct view heading = {0}, above = {0}, label = {0}, line, segment = {text->text, 0}, behind_gap = *text;
    struct names_met names = {.count = 0};
    bool after_gap = true, parted = false, ended = false; /* parted: a gap was met since its last row */
    unsigned kinds = 0;
    while (!ended) {
        struct view rest = *text;
        ended = !view_line(&rest, &line);
        bool prose = !ended && (import_text_is_prose(line, after_gap, rest) ||
                                (kinds & OF_RUNS && is_name_of_block(line, rest)) ||
                                (after_gap && (is_name_of_block(line, rest) || is_bare_name_of_counts(line, rest))));
        unsigned here = ended || prose ? 0 : import_line_kinds(line);
        bool command = !ended && kinds && is_command(line), fence = !ended && kinds && is_fence(line);
        bool again = here && names_meet(&names, line, kinds ? kinds & here : here);
        bool other = kinds && parted && here && (!(here & kinds) || again);
        if (other) { /* what stands above its first row is its own */
            *text = behind_gap;
            segment.length = (size_t)(behind_gap.text - segment.text);
        }
        if (other || command || fence || (kinds && (prose || ended)))
            break;
        if (ended)
            return false;
        if (prose) {
            bool of_stat = view_starts(view_trim(line), "Performance counter stats for ");
            label = of_stat ? label_of(heading) : (struct view){0};
            heading = line;
            above = view_starts(line, IMPORT_COLUMN_HEADING) ? above : line;
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
    ret_table->above = import_text_heading(above, arena);
    ret_table->label = kept_string(label, arena);
    ret_table->event = event_of(segment, heading, arena);
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
    beside.above = table->above;
    beside.label = table->label;
    beside.elapsed_s = beside.kind == IMPORT_STAT ? elapsed_in(table->segment) : 0;
    if (!beside.row_count)
        return false;
    *ret_beside = beside;
    return true;
}

/* ---- what wasn't read ---- */

/* What tools print beside their rows and says nothing by itself: annotate's source, toplev's multiplexing, free. */
static bool is_beside_rows(struct view line)
{
    static const char *const parts[] = {"Source code & Disassembly", "Disassembly of section", "seconds time elapsed"},
                             *const firsts[] = {"MUX", "Mem:", "Swap:"};
    struct view rest = line, first = view_word(&rest), second = view_word(&rest);
    uint64_t number;
    bool is_source = view_equal(first, ":") && view_u64(second, 10, &number);
    for (size_t at = 0; at < array_count(parts); at++)
        if (view_find(line, parts[at]) >= 0)
            return true;
    for (size_t at = 0; at < array_count(firsts); at++)
        if (view_equal(first, firsts[at]))
            return true;
    return is_source;
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
                   view_find(line, IMPORT_LINE_BAR) >= 0;
    if ((words > ROW_WORDS_MOST && view_find(line, "|") < 0 && !first) || (words > COUNT_WORDS_MOST && !columns))
        return false;
    if (is_beside_rows(line) || function_of_listing(line).length || view_starts(line, "perf ") ||
        view_starts(line, "+ ") || is_command(line))
        return false; /* a command, a line of a change to a program */
    for (size_t at = 0; at < line.length; at++)
        digit |= isdigit((unsigned char)line.text[at]) != 0;
    return digit && !view_starts(line, "#") && (columns || first);
}

static bool is_read(struct view line, enum import_kind kind)
{
    char copy[IMPORT_LINE_MOST];
    struct import_line row;
    bool beside = kind == IMPORT_STAT || kind == IMPORT_METRICS;
    if (kind == IMPORT_UNKNOWN)
        return false;
    return import_line_read(line, kind, copy, &row) ||
           (beside && (import_line_read(line, IMPORT_STAT, copy, &row) ||
                       import_line_read(line, IMPORT_METRICS, copy, &row) || elapsed_in(line) > 0));
}

size_t import_text_unread(struct view text, enum import_kind kind, struct text *out)
{
    enum { NAMED_MOST = 3, LINE_NAMED = 60 };
    size_t count = 0;
    size_t ratios = 0;
    for (struct view line; view_line(&text, &line);) {
        bool is_row = looks_like_row(line) && !import_known_is_chat(line);
        if (!(is_row || import_known_counted(line)) || is_read(line, kind))
            continue;
        ratios += import_known_may_be_ratio(line);
        line = view_trim(line);
        if (count++ < NAMED_MOST) {
            text_add(out, count > 1 ? ", '" : "'");
            add_name(out, (struct view){line.text, line.length < LINE_NAMED ? line.length : LINE_NAMED});
            text_add(out, "'");
        }
    }
    text_add(out, count > NAMED_MOST ? ", …" : "");
    text_add(out, ratios ? " (a number up to 1 without a unit may be a ratio or a percentage)" : "");
    return count;
}

/* From the block of its first row to the end of that of its last: what stands before and behind is no part of it. */
static struct view rows_in(struct view text, enum import_kind kind)
{
    struct view line, rest = text, block = text, found = {0};
    bool of_row = false; /* a row stands in this block */
    while (view_line(&rest, &line)) {
        bool gap = import_text_is_gap(line), row = !gap && is_read(line, kind);
        block = gap ? rest : block;
        of_row = !gap && (of_row || row);
        if (row && !found.text)
            found.text = block.text;
        if (of_row)
            found.length = (size_t)(rest.text - found.text);
    }
    return found;
}

size_t import_text_rows_unread(const struct imported_text *table)
{
    scoped_text struct text ignored = {0};
    return import_text_unread(rows_in(table->segment, table->kind), table->kind, &ignored);
}
