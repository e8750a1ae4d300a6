/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_markdown.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_cells.h"
#include "source/import/import_class.h"
#include "source/import/import_line.h"
#include "source/import/import_text.h"

#include <ctype.h>

enum { ROWS_MOST = 200 };

/* The cells of one line: a piece of its table's. */
struct row_cells {
    size_t first, count;
};

struct table {
    vec(struct view) all;
    struct row_cells heading;
    struct row_cells rows[ROWS_MOST];
    size_t count;
    size_t unit_column; /* what the numbers of a row are; SIZE_MAX: it has none */
    struct share_scale scale;
};

static bool cells_of(struct view line, struct table *table, struct row_cells *cells)
{
    line = view_trim(line);
    *cells = (struct row_cells){.first = table->all.count};
    if (!view_starts(line, "|"))
        return false;
    line = view_skip(line, 1);
    while (line.length) {
        struct view cell = view_trim(view_cut(&line, '|'));
        while (cell.length && strchr("*`", cell.text[0]))
            cell = view_skip(cell, 1);
        while (cell.length && strchr("*`", cell.text[cell.length - 1]))
            cell.length--;
        *vec_push(&table->all) = view_trim(cell);
        cells->count++;
    }
    return cells->count > 1;
}

static bool is_class(struct view cell)
{
    scoped_text struct text ignored = {0};
    enum share_unit unit;
    return import_class_named(cell, &ignored, &unit);
}

/* A number, and all that says what it is: its sign, the name's unit, the words beside it. */
static bool class_read(struct view name, struct view cell, struct view words, struct text *ret_published,
                       double *ret_value, enum share_unit *ret_unit)
{
    enum share_unit of_name, of_words = share_unit_of(words);
    if (!import_class_named(name, ret_published, &of_name) || !share_value_of(cell, ret_value, ret_unit))
        return false;
    *ret_unit = *ret_unit ? *ret_unit : of_name ? of_name : of_words;
    return true;
}

static bool class_put(struct text *out, const struct share_scale *scale, struct view name, struct view cell,
                      struct view words)
{
    scoped_text struct text published = {0};
    double value, percent;
    enum share_unit unit;
    if (!class_read(name, cell, words, &published, &value, &unit))
        return false;
    bool known = share_percent_of(scale, value, unit, &percent);
    if (known)
        text_printf(out, "%.15g %% %s\n", percent, text_string(&published));
    else
        text_printf(out, "%s %.15g\n", text_string(&published), value);
    return known;
}

static bool is_event(struct view cell)
{
    /* perf's own; of the last ones there are several: "LLC-load-misses" */
    static const char *const names[] = {
        "cycles",           "cpu-cycles",     "instructions", "branches",    "branch-misses", "cache-misses",
        "cache-references", "ref-cycles",     "bus-cycles",   "page-faults", "minor-faults",  "major-faults",
        "context-switches", "cpu-migrations", "task-clock",   "cpu-clock",   "slots"};
    static const char *const beginnings[] = {"LLC-", "L1-", "dTLB-", "iTLB-", "node-", "stalled-cycles-", "topdown-"};
    bool letters = cell.length > 4 && isalpha((unsigned char)cell.text[0]);
    for (size_t at = 0; at < array_count(names); at++)
        if (view_equal(cell, names[at]) || (view_starts(cell, names[at]) && cell.text[strlen(names[at])] == ':'))
            return true;
    for (size_t at = 0; at < array_count(beginnings); at++)
        if (view_starts(cell, beginnings[at]) && view_find(cell, " ") < 0)
            return true;
    return letters && !is_class(cell) && view_find(cell, ".") > 0 && view_find(cell, "_") > 0 &&
           view_find(cell, " ") < 0;
}

static bool is_time(struct view cell)
{
    return view_has_word(cell, "time") || view_has_word(cell, "seconds") || view_has_word(cell, "elapsed") ||
           view_has_word(cell, "runtime") || view_has_word(cell, "wall");
}

static bool is_exit(struct view cell, bool told)
{
    bool named = view_starts(cell, "EXIT_REASON_") || told;
    for (size_t at = 0; at < cell.length; at++)
        named &= isupper((unsigned char)cell.text[at]) || isdigit((unsigned char)cell.text[at]) || cell.text[at] == '_';
    return named && cell.length > 2;
}

/* "s" of "time [s]", "time_s", "time, s"; "min" without brackets may be the least. */
static struct view unit_of_heading(struct view heading)
{
    ptrdiff_t open = view_find(heading, "(") >= 0 ? view_find(heading, "(") : view_find(heading, "[");
    size_t last = heading.length;
    if (open >= 0) {
        struct view named = view_skip(heading, (size_t)open + 1);
        named.length -= named.length > 0;
        return named;
    }
    while (last && !strchr("_ ", heading.text[last - 1]))
        last--;
    struct view named = view_skip(heading, last);
    return last && !view_equal(named, "min") ? named : (struct view){0};
}

/* "172 ms", "1.2" under "time [s]", "4.2 min": in seconds. */
static bool seconds_of(struct view cell, struct view heading, double *ret_seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9},    {"us", 1e-6}, {"ms", 1e-3}, {"milliseconds", 1e-3}, {"min", 60},
                 {"minutes", 60}, {"s", 1},     {"sec", 1},   {"seconds", 1}};
    size_t digits = 0;
    while (digits < cell.length && (isdigit((unsigned char)cell.text[digits]) || strchr(".,", cell.text[digits])))
        digits++;
    double number;
    if (!digits || !view_grouped((struct view){cell.text, digits}, &number))
        return false;
    struct view unit = view_trim(view_skip(cell, digits));
    for (size_t at = 0; at < array_count(units); at++) {
        bool in_heading = !unit.length && view_equal(unit_of_heading(heading), units[at].unit);
        if (view_equal(unit, units[at].unit) || in_heading) {
            *ret_seconds = number * units[at].seconds;
            return true;
        }
    }
    *ret_seconds = number;
    return !unit.length && view_starts(heading, "seconds"); /* "seconds time elapsed" */
}

static bool table_read(struct view *text, struct table *table)
{
    struct view rest = *text, line;
    table->all.count = table->count = 0;
    if (!view_line(&rest, &line) || !cells_of(line, table, &table->heading) || !view_line(&rest, &line) ||
        !cells_are_rule(line))
        return false;
    for (struct view after = rest;
         table->count < ROWS_MOST && view_line(&after, &line) && cells_of(line, table, &table->rows[table->count]);
         rest = after)
        table->count++;
    *text = rest;
    return table->count > 0;
}

static struct view cell_of(const struct table *table, const struct row_cells *cells, size_t column)
{
    return column < cells->count ? table->all.items[cells->first + column] : VIEW("");
}

static struct view heading_of(const struct table *table, size_t column)
{
    return cell_of(table, &table->heading, column);
}

static void named(struct text *out, struct view name)
{
    text_printf(out, "\n" IMPORT_COLUMN_HEADING "%.*s:\n\n", (int)name.length, name.text);
}

/* "12 004 338 112", as some write thousands; other numbers as view_grouped() reads them. */
static bool number_of(struct view cell, double *ret_number)
{
    char digits[40];
    size_t used = 0, group = 0, groups = 0;
    for (size_t at = 0; at < cell.length && used + 1 < sizeof(digits); at++) {
        bool blank = cell.text[at] == ' ';
        if ((!blank && !isdigit((unsigned char)cell.text[at])) ||
            (blank && (!group || group > 3 || (groups && group != 3))))
            return view_grouped(cell, ret_number);
        groups += blank;
        group = blank ? 0 : group + 1;
        if (!blank)
            digits[used++] = cell.text[at];
    }
    return view_grouped(groups && group == 3 ? (struct view){digits, used} : cell, ret_number);
}

/* perf prints these in milliseconds, and names the unit in front. */
static bool is_clock(struct view name)
{
    return view_starts(name, "task-clock") || view_starts(name, "cpu-clock");
}

static struct view without_unit(struct view cell)
{
    cell.length -= view_ends(cell, "msec") ? 4 : view_ends(cell, "ms") ? 2 : 0;
    return view_trim(cell);
}

/* One cell of counts, times or exits as its line; false: it is none. */
static bool cell_put(struct text *out, const struct table *table, struct view name, struct view cell, struct view words,
                     bool of_exits)
{
    double number;
    if (class_put(out, &table->scale, name, cell, words))
        return true;
    if (is_time(name) && seconds_of(cell, name, &number))
        text_printf(out, "%.9g seconds time elapsed\n", number);
    else if (!number_of(is_clock(name) ? without_unit(cell) : cell, &number))
        return false;
    else if (is_exit(name, of_exits))
        text_printf(out, "@exits[%.*s]: %.15g\n", (int)name.length, name.text, number);
    else if (is_event(name))
        text_printf(out, "%.15g %s%.*s\n", number, is_clock(name) ? "msec " : "", (int)name.length, name.text);
    else
        return false;
    return true;
}

/* A run a row: its times by name, too, so that runs of one name are told to be of one program. */
static bool rows_put(struct text *out, const struct table *table)
{
    size_t events = 0, put = 0;
    for (size_t column = 1; column < table->heading.count; column++)
        events += is_event(heading_of(table, column)) || is_class(heading_of(table, column));
    if (!events || is_event(heading_of(table, 0)) || is_class(heading_of(table, 0)))
        return false;
    for (size_t row = 0; row < table->count; row++) {
        named(out, cell_of(table, &table->rows[row], 0));
        for (size_t column = 1; column < table->heading.count; column++)
            put += cell_put(out, table, heading_of(table, column), cell_of(table, &table->rows[row], column), VIEW(""),
                            false);
    }
    text_add(out, "\nThe times of all these runs:\n\n");
    for (size_t row = 0; row < table->count; row++)
        for (size_t column = 1; column < table->heading.count; column++) {
            double seconds;
            struct view heading = heading_of(table, column), name = cell_of(table, &table->rows[row], 0);
            if (is_time(heading) && seconds_of(cell_of(table, &table->rows[row], column), heading, &seconds))
                text_printf(out, "%.*s: %.9g s\n", (int)name.length, name.text, seconds);
        }
    return put > 0;
}

/* "| Command | Mean [s] | Min [s] | Max [s] | Relative |", as hyperfine exports it. */
static bool is_of_hyperfine(const struct table *table)
{
    return table->heading.count >= 4 && view_starts(heading_of(table, 1), "Mean [") &&
           view_starts(heading_of(table, 2), "Min [") && view_starts(heading_of(table, 3), "Max [");
}

/* A run's name is short, and ends at a colon. */
static void run_name_put(struct text *out, struct view name)
{
    enum { NAME_MOST = 36 };
    for (size_t at = 0; at < name.length && at < NAME_MOST; at++)
        text_add_char(out, name.text[at] == ':' ? ' ' : name.text[at]);
}

/* Its means with how far the runs behind them differ. */
static bool means_put(struct text *out, const struct table *table)
{
    enum { MEAN = 1, LEAST, MOST };
    scoped_text struct text runs = {0};
    for (size_t row = 0; row < table->count; row++) {
        double values[MOST + 1], differ = 0;
        struct view cell = cell_of(table, &table->rows[row], MEAN), mean = cell;
        ptrdiff_t sign = view_find(cell, IMPORT_LINE_SPREAD);
        bool spread = sign > 0 && seconds_of(view_trim(view_skip(cell, (size_t)sign + sizeof(IMPORT_LINE_SPREAD) - 1)),
                                             heading_of(table, MEAN), &differ);
        mean = sign > 0 ? view_trim((struct view){cell.text, (size_t)sign}) : mean;
        bool read = seconds_of(mean, heading_of(table, MEAN), &values[MEAN]);
        for (size_t at = LEAST; at <= MOST; at++)
            read &= seconds_of(cell_of(table, &table->rows[row], at), heading_of(table, at), &values[at]);
        if (!read)
            return false;
        run_name_put(&runs, cell_of(table, &table->rows[row], 0));
        text_printf(&runs, ": %.9g s", values[MEAN]);
        if (spread)
            text_printf(&runs, " " IMPORT_LINE_SPREAD " %.6g s (%.6g s … %.6g s)", differ, values[LEAST], values[MOST]);
        text_add_char(&runs, '\n');
    }
    text_printf(out, "\nThe times of all these runs:\n\n%s", text_string(&runs));
    return true;
}

/* "| run | … |": which of them it was, and not what ran. */
static bool is_number_of_run(const struct table *table, size_t column)
{
    static const char *const names[] = {"run", "runs", "#", "no", "no.", "nr", "trial", "repeat", "iteration"};
    uint64_t ignored;
    if (!view_is_any_caseless(heading_of(table, column), names, array_count(names)))
        return false;
    for (size_t row = 0; row < table->count; row++)
        if (!view_u64(cell_of(table, &table->rows[row], column), 10, &ignored))
            return false;
    return true;
}

/* Short words in every row, which differ: what a run was made with. */
static bool is_setting(const struct table *table, size_t column)
{
    enum { WORDS_MOST = 16 };
    double ignored;
    bool differs = false;
    struct view first = cell_of(table, &table->rows[0], column);
    if (is_time(heading_of(table, column)) || is_number_of_run(table, column))
        return false;
    for (size_t row = 0; row < table->count; row++) {
        struct view cell = cell_of(table, &table->rows[row], column), rest = cell;
        if (!cell.length || cell.length > WORDS_MOST || view_grouped(view_word(&rest), &ignored))
            return false;
        differs |= !views_equal_caseless(cell, first);
    }
    return differs;
}

/* Rows of one name, or of none, may have been made with several settings: these tell them apart. */
static bool needs_settings(const struct table *table)
{
    for (size_t row = 1; row < table->count; row++)
        for (size_t before = 0; before < row; before++)
            if (views_equal_caseless(cell_of(table, &table->rows[row], 0), cell_of(table, &table->rows[before], 0)))
                return true;
    return is_number_of_run(table, 0);
}

/* "on" alone says nothing: of what. */
static bool is_switch(struct view cell)
{
    static const char *const words[] = {"on", "off", "yes", "no", "always", "never", "enabled", "disabled", "madvise"};
    return view_is_any_caseless(cell, words, array_count(words));
}

/* "confidential, THP off" */
static void settings_put(struct text *out, const struct table *table, size_t row)
{
    bool is_named = !is_number_of_run(table, 0);
    size_t put = is_named;
    struct view name = cell_of(table, &table->rows[row], 0);
    if (is_named)
        text_append(out, name.text, name.length);
    for (size_t column = 1; column < table->heading.count; column++) {
        struct view cell = cell_of(table, &table->rows[row], column), heading = heading_of(table, column);
        if (!is_setting(table, column))
            continue;
        text_printf(out, "%s%.*s%s%.*s", put++ ? ", " : "", is_switch(cell) ? (int)heading.length : 0, heading.text,
                    is_switch(cell) ? " " : "", (int)cell.length, cell.text);
    }
    if (!put)
        text_append(out, name.text, name.length);
}

/* "| build | time |": nothing but how long each took. Parts of one run have times, too. */
static bool times_put(struct text *out, const struct table *table)
{
    static const char *const parts[] = {"function", "symbol", "phase",   "step", "stage", "section",
                                        "call",     "query",  "syscall", "lock", "stack", "kernel function"};
    size_t column = 1, put = 0;
    if (is_of_hyperfine(table))
        return means_put(out, table);
    for (size_t at = 0; at < array_count(parts); at++)
        if (view_has_word(heading_of(table, 0), parts[at]))
            return false;
    while (column < table->heading.count && !is_time(heading_of(table, column)))
        column++;
    bool by_settings = needs_settings(table);
    scoped_text struct text times = {0};
    for (size_t row = 0; column < table->heading.count && row < table->count; row++) {
        double seconds;
        struct view name = cell_of(table, &table->rows[row], 0);
        if (!name.length || !seconds_of(cell_of(table, &table->rows[row], column), heading_of(table, column), &seconds))
            continue;
        if (by_settings)
            settings_put(&times, table, row);
        else
            text_append(&times, name.text, name.length);
        text_printf(&times, ": %.9g s\n", seconds);
        put++;
    }
    if (put < 2 || put < table->count)
        return false;
    text_printf(out, "\nThe times of all these runs:\n\n%s", text_string(&times));
    return true;
}

/* "NNC (ms)": what ran, and the unit of its times. */
static bool is_run_with_unit(struct view heading, struct view *ret_name)
{
    double ignored;
    ptrdiff_t open = view_find(heading, "(") >= 0 ? view_find(heading, "(") : view_find(heading, "[");
    *ret_name = open > 0 ? view_trim((struct view){heading.text, (size_t)open}) : (struct view){0};
    return ret_name->length && seconds_of(VIEW("1"), heading, &ignored);
}

/* "| run | NNC (ms) | ATen (ms) |": how long each took, again and again. */
static bool repeats_put(struct text *out, const struct table *table)
{
    size_t put = 0;
    struct view name;
    scoped_text struct text times = {0};
    if (table->heading.count < 2 || table->count < 2 || !is_number_of_run(table, 0))
        return false;
    for (size_t column = 1; column < table->heading.count; column++)
        for (size_t row = 0; row < table->count; row++) {
            double seconds;
            struct view heading = heading_of(table, column);
            if (!is_run_with_unit(heading, &name) ||
                !seconds_of(cell_of(table, &table->rows[row], column), heading, &seconds))
                continue;
            text_printf(&times, "%.*s: %.9g s\n", (int)name.length, name.text, seconds);
            put++;
        }
    if (put < table->count)
        return false;
    text_printf(out, "\nThe times of all these runs:\n\n%s", text_string(&times));
    return true;
}

/* "| TopdownL1 | 88.8 | tma_backend_bound |": what a number is of stands behind it, and its unit above it, if any. */
static bool behind_put(struct text *out, const struct table *table)
{
    size_t put = 0;
    for (size_t row = 0; row < table->count; row++)
        for (size_t column = 2; column < table->heading.count; column++)
            put += is_class(cell_of(table, &table->rows[row], column)) &&
                   class_put(out, &table->scale, cell_of(table, &table->rows[row], column),
                             cell_of(table, &table->rows[row], column - 1), heading_of(table, column - 1));
    return put > 1 && 2 * put >= table->count;
}

/* "| metric | value | unit |": its one column of numbers is called so, and is no run's name. */
static bool is_value_alone(const struct table *table)
{
    bool unit = table->unit_column != SIZE_MAX;
    struct view heading = heading_of(table, 1);
    return table->heading.count == (unit ? 3 : 2) &&
           (view_has_word(heading, "value") || view_has_word(heading, "count") || view_has_word(heading, "counts"));
}

/* What is said of a number's unit: in the row's own column for it, else above its column. */
static struct view words_of_row(const struct table *table, size_t row, size_t column)
{
    if (table->unit_column != SIZE_MAX)
        return cell_of(table, &table->rows[row], table->unit_column);
    struct view heading = heading_of(table, column);
    bool several = table->heading.count > 2; /* a ratio beside others is of them */
    return several && share_unit_of(heading) == SHARE_RATIO && view_find(heading, "(") < 0 ? VIEW("") : heading;
}

static void scale_add(struct table *table, struct view name, struct view cell, struct view words)
{
    scoped_text struct text published = {0};
    double value;
    enum share_unit unit;
    if (class_read(name, cell, words, &published, &value, &unit))
        share_scale_add(&table->scale, text_string(&published), value, unit);
}

/* Of all classes in it, whether they stand in rows or in columns. */
static void scale_read(struct table *table)
{
    table->scale = (struct share_scale){.most = 0};
    table->unit_column = SIZE_MAX;
    for (size_t column = 1; column < table->heading.count; column++)
        if (view_equal(heading_of(table, column), "unit") || view_equal(heading_of(table, column), "Unit"))
            table->unit_column = column;
    for (size_t row = 0; row < table->count; row++)
        for (size_t column = 1; column < table->heading.count; column++) {
            struct view cell = cell_of(table, &table->rows[row], column);
            scale_add(table, cell_of(table, &table->rows[row], 0), cell, words_of_row(table, row, column));
            scale_add(table, heading_of(table, column), cell, VIEW(""));
        }
}

/* A run a column. */
static bool columns_put(struct text *out, const struct table *table)
{
    bool of_exits = view_has_word(heading_of(table, 0), "exit") || view_has_word(heading_of(table, 0), "reason");
    size_t known = 0, put = 0;
    for (size_t row = 0; row < table->count; row++)
        known += is_event(cell_of(table, &table->rows[row], 0)) || is_class(cell_of(table, &table->rows[row], 0)) ||
                 is_exit(cell_of(table, &table->rows[row], 0), of_exits);
    if (2 * known < table->count || !known)
        return false;
    for (size_t column = 1; column < table->heading.count; column++) {
        if (column == table->unit_column || (table->heading.count > 3 && share_is_of_others(heading_of(table, column))))
            continue;
        if (is_value_alone(table))
            text_add(out, "\n");
        else
            named(out, heading_of(table, column));
        for (size_t row = 0; row < table->count; row++)
            put += cell_put(out, table, cell_of(table, &table->rows[row], 0), cell_of(table, &table->rows[row], column),
                            words_of_row(table, row, column), of_exits);
    }
    return put > 0;
}

struct view import_markdown_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    struct table *table = arena_array(arena, struct table, 1);
    *table = (struct table){0};
    scoped_text struct text out = {0};
    bool turned = false;
    for (struct view from = rest; view_line(&rest, &line); from = rest) {
        struct view behind = from;
        size_t before = out.length;
        bool is_table = table_read(&behind, table);
        if (is_table)
            scale_read(table);
        if (is_table && (rows_put(&out, table) || columns_put(&out, table) || times_put(&out, table) ||
                         repeats_put(&out, table) || behind_put(&out, table))) {
            text_add_char(&out, '\n');
            rest = behind;
            turned = true;
            continue;
        }
        if (out.length > before)
            text_truncate(&out, before);
        if (is_table) { /* of another kind: its rows begin no other */
            text_append(&out, from.text, (size_t)(behind.text - from.text));
            rest = behind;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    vec_done(&table->all);
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
