/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_csv.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_class.h"
#include "source/import/import_known.h"
#include "source/import/import_text.h"

#include <ctype.h>

enum { CELLS_MOST = 24, VALUES_MOST = 8, ROWS_MOST = 400 };

struct cells {
    struct view items[CELLS_MOST];
    size_t count;
};

struct row {
    char name[64];
    double values[VALUES_MOST];
    enum share_unit units[VALUES_MOST];
    size_t looks; /* how many lines its values are sums of */
};

struct block {
    vec(struct row) rows;
    size_t value_count;                /* of each row */
    struct view headings[VALUES_MOST]; /* of the values; length 0: it has none */
    struct share_scale scale;
};

/* ---- one line ---- */

/* The mark behind the first word, or blanks. */
static char separator_of(struct view line)
{
    static const char marks[] = ",;\t=:";
    for (const char *mark = marks; *mark; mark++)
        if (memchr(line.text, *mark, line.length))
            return *mark;
    return ' ';
}

static struct view bare(struct view cell)
{
    cell = view_trim(cell);
    while (cell.length > 1 && strchr("\"'`*", cell.text[0]) && cell.text[0])
        cell = view_skip(cell, 1);
    while (cell.length && strchr("\"'`*", cell.text[cell.length - 1]) && cell.text[cell.length - 1])
        cell.length--;
    return view_trim(cell);
}

/* Up to the separator; one in quotes parts nothing. */
static struct view cell_cut(struct view *line, char separator)
{
    bool quoted = view_starts(view_trim(*line), "\"");
    ptrdiff_t end = quoted ? view_find(view_skip(view_trim(*line), 1), "\"") : -1;
    if (end < 0)
        return view_cut(line, separator);
    struct view inside = view_trim(*line), cell = {inside.text + 1, (size_t)end};
    *line = view_skip(inside, (size_t)end + 2);
    (void)view_cut(line, separator);
    return cell;
}

static void cells_of(struct view line, char separator, struct cells *cells)
{
    cells->count = 0;
    line = view_trim(line);
    ptrdiff_t gap = separator == ' ' ? view_find(line, "  ") : -1;
    if (gap > 0) { /* names of several words: "Backend Bound    79.9 %" */
        cells->items[cells->count++] = bare((struct view){line.text, (size_t)gap});
        line = view_trim(view_skip(line, (size_t)gap));
    }
    for (; line.length && cells->count < CELLS_MOST;)
        cells->items[cells->count++] = bare(separator == ' ' ? view_word(&line) : cell_cut(&line, separator));
}

/* Which cell names a class; count: none. */
static size_t name_at(const struct cells *cells, struct text *name, enum share_unit *unit)
{
    enum { BEFORE_MOST = 4 }; /* a time, and whose it is */
    for (size_t at = 0; at < cells->count && at < BEFORE_MOST; at++)
        if (import_class_named(cells->items[at], name, unit))
            return at;
    return cells->count;
}

/* Words behind a number that may say what it is of, in a line without marks between them. */
static bool is_only_unit(struct view words)
{
    return !words.length || share_unit_of(words) || view_equal(words, "of slots") || view_equal(words, "slots");
}

/* How many numbers stand behind the name, and what unit behind them. */
static bool values_of(const struct cells *cells, size_t name, enum share_unit unit, bool loose, struct row *row,
                      size_t *ret_count)
{
    size_t count = 0, at = name + 1;
    double value;
    enum share_unit own;
    for (; at < cells->count && count < VALUES_MOST && share_value_of(cells->items[at], &value, &own); at++, count++) {
        row->values[count] = value;
        row->units[count] = own ? own : unit;
    }
    enum share_unit behind = at < cells->count ? share_unit_of(cells->items[at]) : SHARE_UNSAID;
    for (size_t one = 0; one < count && behind; one++)
        row->units[one] = row->units[one] ? row->units[one] : behind;
    *ret_count = behind ? 1 : count; /* what stands before a unit is one number */
    bool clean = at == cells->count || (at + 1 == cells->count && is_only_unit(cells->items[at]));
    return count && !(behind && count > 1) && (!loose || (count == 1 && name == 0 && clean));
}

static bool row_of(struct view line, char separator, struct row *row, size_t *ret_count)
{
    scoped_text struct text name = {0};
    struct cells cells;
    enum share_unit unit;
    if (view_starts(view_trim(line), "|"))
        return false;
    cells_of(line, separator, &cells);
    size_t at = name_at(&cells, &name, &unit);
    *row = (struct row){.looks = 1};
    if (at == cells.count || name.length >= sizeof(row->name) || (separator == ':' && cells.count != 2) ||
        !values_of(&cells, at, unit, separator == ' ' || separator == '=' || separator == ':', row, ret_count))
        return false;
    memcpy(row->name, name.bytes, name.length);
    return true;
}

/* ---- a block of them ---- */

static void row_keep(struct block *block, const struct row *row)
{
    for (size_t at = 0; at < block->rows.count; at++) {
        struct row *before = &block->rows.items[at];
        if (strcmp(before->name, row->name) != 0)
            continue;
        for (size_t value = 0; value < block->value_count; value++)
            before->values[value] += row->values[value];
        before->looks++;
        return;
    }
    *vec_push(&block->rows) = *row;
}

/* A heading says which column is the value, what its unit is, and that the others are none. */
static void heading_read(struct block *block, const struct cells *heading, size_t name)
{
    for (size_t at = 0; at < block->value_count && name + 1 + at < heading->count; at++)
        block->headings[at] = heading->items[name + 1 + at];
    struct view first = block->headings[0];
    static const char *const values[] = {"value", "mean", "share", "metric value"};
    bool is_value = false;
    for (size_t at = 0; at < array_count(values); at++)
        is_value |= view_starts_caseless(first, values[at]);
    block->value_count = is_value ? 1 : block->value_count;
}

/* No numbers, and as many cells as the row has, or nearly. */
static bool is_heading(const struct cells *cells, size_t needed)
{
    bool has = cells->count >= needed;
    for (size_t at = 0; at < cells->count; at++)
        for (size_t letter = 0; letter < cells->items[at].length && at < needed; letter++)
            has &= letter > 0 || isalpha((unsigned char)cells->items[at].text[0]) || cells->items[at].text[0] == '%';
    return has;
}

static enum share_unit unit_of(const struct block *block, const struct row *row, size_t value)
{
    bool several = block->value_count > 1; /* a ratio beside others is of them */
    enum share_unit said = share_unit_of(block->headings[value]);
    return row->units[value] ? row->units[value] : several && said == SHARE_RATIO ? SHARE_UNSAID : said;
}

static bool is_of_others(const struct block *block, size_t value)
{
    return block->value_count > 2 && share_is_of_others(block->headings[value]);
}

static bool block_put(struct text *out, struct block *block)
{
    scoped_text struct text table = {0};
    block->scale = (struct share_scale){.most = 0};
    for (size_t at = 0; at < block->rows.count; at++)
        for (size_t value = 0; value < block->value_count; value++) {
            struct row *row = &block->rows.items[at];
            row->values[value] /= (double)row->looks;
            if (!is_of_others(block, value))
                share_scale_add(&block->scale, row->name, row->values[value], unit_of(block, row, value));
        }
    bool several = block->value_count > 1;
    text_add(&table, several ? "\n| class" : "");
    for (size_t value = 0; several && value < block->value_count; value++)
        if (!is_of_others(block, value))
            text_printf(&table, " | %.*s", (int)block->headings[value].length, block->headings[value].text);
    text_add(&table, several ? " |\n|---|---|\n" : "");
    for (size_t at = 0; at < block->rows.count; at++) {
        const struct row *row = &block->rows.items[at];
        text_add(&table, several ? "| " : "");
        text_add(&table, several ? row->name : "");
        for (size_t value = 0; value < block->value_count; value++) {
            double percent;
            if (is_of_others(block, value))
                continue;
            if (!share_percent_of(&block->scale, row->values[value], unit_of(block, row, value), &percent))
                return false;
            text_printf(&table, several ? " | %.9g %%" : "%.9g %%", percent);
        }
        if (several)
            text_add(&table, " |\n");
        else
            text_printf(&table, " %s\n", row->name);
    }
    text_add(&table, several ? "\n" : "");
    text_append(out, table.bytes, table.length);
    return true;
}

/* Rows from here on, as they stand where nobody knows what their numbers are; false: this is none. */
static bool block_turned(struct text *out, struct view *rest, struct block *block)
{
    struct view line, after = *rest, behind = *rest;
    struct cells heading = {.count = 0};
    struct row row;
    size_t count = 0, name = 0;
    if (!view_line(&after, &line) || !view_trim(line).length)
        return false;
    char separator = separator_of(line);
    if (!row_of(line, separator, &row, &count)) {
        cells_of(line, separator, &heading);
        behind = after;
        if (heading.count < 2 || separator == ' ' || separator == ':' || !view_line(&after, &line) ||
            !row_of(line, separator, &row, &count))
            return false;
    }
    scoped_text struct text ignored = {0};
    struct cells cells;
    enum share_unit unit;
    cells_of(line, separator, &cells);
    name = name_at(&cells, &ignored, &unit);
    if (heading.count && !is_heading(&heading, name + 2))
        return false;
    block->rows.count = 0;
    block->value_count = count;
    memset(block->headings, 0, sizeof(block->headings));
    heading_read(block, &heading, name);
    if (block->value_count > 1 && !heading.count)
        block->value_count = 1; /* the first: of more nobody knows whose they are */
    for (after = behind; block->rows.count < ROWS_MOST && view_line(&after, &line); behind = after) {
        if (!row_of(line, separator, &row, &count) || count < block->value_count)
            break;
        row_keep(block, &row);
    }
    if (!block_put(out, block)) { /* as it stands, and none of it is looked at again */
        text_append(out, rest->text, (size_t)(behind.text - rest->text));
        text_add(out, view_ends((struct view){out->bytes, out->length}, "\n") ? "" : "\n");
    }
    *rest = behind;
    return true;
}

/* ---- events ---- */

static bool heads_events(const struct cells *heading)
{
    static const char *const words[] = {"event", "events", "metric", "counter", "name"};
    return heading->count > 1 && view_is_any_caseless(heading->items[0], words, array_count(words));
}

static void cells_put(struct text *out, const struct cells *cells)
{
    text_add(out, "|");
    for (size_t at = 0; at < cells->count; at++)
        text_printf(out, " %.*s |", (int)cells->items[at].length, cells->items[at].text);
    text_add_char(out, '\n');
}

/* "event,before,after" and a line for each, classes among them: the same as a table of Markdown. */
static bool events_turned(struct text *out, struct view *rest)
{
    scoped_text struct text table = {0};
    struct cells heading, cells;
    struct view line, after = *rest, behind;
    size_t rows = 0;
    if (!view_line(&after, &line) || view_starts(view_trim(line), "|"))
        return false;
    char separator = separator_of(line);
    cells_of(line, separator, &heading);
    if (separator == ' ' || separator == ':' || separator == '=' || !heads_events(&heading))
        return false;
    text_add_char(&table, '\n');
    cells_put(&table, &heading);
    text_add(&table, "|---|---|\n");
    for (behind = after; view_line(&after, &line); behind = after, rows++) {
        cells_of(line, separator, &cells);
        if (cells.count < 2 || cells.count > heading.count || !import_known_is_name(cells.items[0]))
            break;
        cells_put(&table, &cells);
    }
    if (!rows)
        return false;
    text_printf(out, "%s\n", text_string(&table));
    *rest = behind;
    return true;
}

/* ---- samples by function ---- */

/* Where the columns of a report stand, from 1; 0: it has none. */
struct report_columns {
    size_t share, command, object, symbol;
};

static size_t column_of(const struct cells *heading, const char *const *names, size_t count)
{
    for (size_t at = 0; at < heading->count; at++)
        if (view_is_any_caseless(heading->items[at], names, count))
            return at + 1;
    return 0;
}

/* The symbol is the last, since its arguments have commas, too. */
static bool report_columns_of(const struct cells *heading, struct report_columns *ret_columns)
{
    static const char *const shares[] = {"overhead", "percent", "%", "self", "share", "children"},
                             *const commands[] = {"command", "comm", "process"},
                             *const objects[] = {"object", "shared object", "dso", "module", "library", "binary"},
                             *const symbols[] = {"symbol", "function", "sym"};
    *ret_columns = (struct report_columns){
        column_of(heading, shares, array_count(shares)), column_of(heading, commands, array_count(commands)),
        column_of(heading, objects, array_count(objects)), column_of(heading, symbols, array_count(symbols))};
    return ret_columns->share && ret_columns->symbol == heading->count && heading->count > 1;
}

static struct view cell_or(const struct cells *cells, size_t column, struct view otherwise)
{
    struct view cell = column ? cells->items[column - 1] : (struct view){0};
    return cell.length ? cell : otherwise;
}

/* As perf report prints it: "97.3%  python  libmkl.so  [.] sgemm". */
static bool report_row_put(struct text *out, struct view line, const struct report_columns *columns)
{
    struct cells cells;
    double percent;
    cells_of(line, ',', &cells);
    if (cells.count < columns->symbol)
        return false;
    struct view share = cells.items[columns->share - 1], object = cell_or(&cells, columns->object, VIEW("[unknown]")),
                command = cell_or(&cells, columns->command, VIEW("-")), symbol = view_trim(line);
    for (size_t at = 1; at < columns->symbol; at++)
        (void)cell_cut(&symbol, ',');
    symbol = view_trim(symbol);
    share.length -= view_ends(share, "%");
    if (!view_double(view_trim(share), &percent) || percent > 100 || !symbol.length ||
        isdigit((unsigned char)*symbol.text))
        return false;
    bool has_kind = view_starts(symbol, "[.]") || view_starts(symbol, "[k]");
    const char *kind = has_kind ? "" : view_starts(object, "[kernel") ? "[k] " : "[.] ";
    text_printf(out, "%10.2f%%  %.*s  %.*s  %s%.*s\n", percent, (int)command.length, command.text, (int)object.length,
                object.text, kind, (int)symbol.length, symbol.text);
    return true;
}

/* "overhead,command,object,symbol" and a line for each function. */
static bool report_turned(struct text *out, struct view *rest)
{
    struct cells heading;
    struct report_columns columns;
    struct view line, after = *rest, behind;
    size_t before = out->length, rows = 0;
    if (!view_line(&after, &line) || view_find(line, ",") < 0)
        return false;
    cells_of(line, ',', &heading);
    if (!report_columns_of(&heading, &columns))
        return false;
    text_add_char(out, '\n');
    for (behind = after; view_line(&after, &line) && report_row_put(out, line, &columns); behind = after)
        rows++;
    if (!rows) {
        text_truncate(out, before);
        return false;
    }
    *rest = behind;
    return true;
}

struct view import_csv_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    struct block block = {.value_count = 0};
    scoped_text struct text out = {0};
    bool turned = false;
    while (rest.length) {
        if (report_turned(&out, &rest) || block_turned(&out, &rest, &block) || events_turned(&out, &rest)) {
            turned = true;
            continue;
        }
        (void)view_line(&rest, &line);
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    vec_done(&block.rows);
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
