/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "base/vec.h"
#include "render/comparison/share_difference.h"
#include "statistics/json_interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    COLUMNS_MOST = 20,
    NAME_WIDTH_MOST = 40
};

/* ---- rows in the order asked for ---- */

static double first_by(const struct share_row *row, enum share_order order)
{
    switch (order) {
    case SHARE_ORDER_GROWN: return row->b.share - row->a.share;
    case SHARE_ORDER_A: return row->a.share;
    case SHARE_ORDER_B: return row->b.share;
    default: return fabs(row->b.share - row->a.share);
    }
}

static int row_compare(const void *left, const void *right, void *context)
{
    const struct share_row *a = *(const struct share_row *const *)left, *b = *(const struct share_row *const *)right;
    enum share_order order = *(const enum share_order *)context;
    double of_a = first_by(a, order), of_b = first_by(b, order);
    if (order != SHARE_ORDER_NAME && of_a != of_b)
        return of_a < of_b ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Owner: the caller (free). */
static const struct share_row **rows_shown(const struct share_difference *difference, const struct share_layout *layout,
                                           size_t *ret_count)
{
    const struct share_row **rows = memory_alloc(memory_product(difference->row_count + 1, sizeof(*rows)));
    enum share_order order = layout->order;
    size_t count = 0;
    for (size_t at = 0; at < difference->row_count; at++)
        if (difference->rows[at].a.share >= layout->ratio_least || difference->rows[at].b.share >= layout->ratio_least)
            rows[count++] = &difference->rows[at];
    if (count)
        qsort_r(rows, count, sizeof(*rows), row_compare, &order);
    *ret_count = count;
    return rows;
}

static struct view column_of(const struct share_row *row, size_t column)
{
    struct view rest = view_of(row->name), word = {"", 0};
    for (size_t at = 0; at <= column; at++)
        word = view_cut(&rest, SHARE_COLUMN_SEPARATOR);
    return word;
}

static const char *state_of(const struct share_row *row)
{
    return !row->a.samples ? "new" : !row->b.samples ? "gone" : "";
}

/* ---- text ---- */

static void add_files(struct text *out, const char *side, const char *const *files, size_t count,
                      const struct share_difference *difference, bool is_b)
{
    uint64_t samples = 0;
    for (size_t at = 0; at < difference->run_count; at++)
        if (difference->runs[at].is_b == is_b)
            samples += difference->runs[at].samples;
    text_printf(out, "# %s: ", side);
    for (size_t at = 0; at < count; at++)
        text_printf(out, "%s%s", at ? ", " : "", files[at]);
    text_printf(out, " (%" PRIu64 " samples)\n", samples);
}

static void add_heading(struct text *out, const struct share_difference *difference, const struct share_layout *layout)
{
    add_files(out, "A", layout->files_a, layout->count_a, difference, false);
    add_files(out, "B", layout->files_b, layout->count_b, difference, true);
    text_printf(out, "# Event '%s': each side's share of %s; B - A in percentage points with its 95 %% interval.\n",
                layout->event, layout->of);
    if (difference->too_few_samples)
        text_add(out, "# No intervals: a recording holds too few samples (160 with their times are the least).\n");
    else if (difference->between_runs)
        text_add(out, "# Intervals by how the recordings of a side differ among themselves.\n");
    else
        text_add(out, "# Intervals by how shares changed within each recording; another run may differ by more: record "
                      "several a side (A1 A2 -- B1 B2).\n");
    if (difference->test_count)
        text_printf(out,
                    "# '*': more than chance; of rows so marked at most %g %% are expected to be false (of %zu rows of "
                    "at least %g %% that were judged).\n",
                    100 * SHARE_REAL_RATE, difference->test_count, 100 * SHARE_TEST_LEAST);
    text_add(out, "#\n");
}

static void add_share(struct text *out, const struct share_side *side)
{
    if (side->samples)
        text_printf(out, " %7.2f", 100 * side->share);
    else
        text_add(out, "       -");
}

static void add_period(struct text *out, const struct share_side *side, bool counts_ns)
{
    if (counts_ns)
        text_printf(out, " %12.3f", side->weight / 1e6);
    else
        text_printf(out, " %14.0f", side->weight);
}

static void add_row(struct text *out, const struct share_row *row, const struct share_layout *layout,
                    const size_t *widths)
{
    const struct interval *change = &row->difference;
    add_share(out, &row->a);
    add_share(out, &row->b);
    text_printf(out, " %+8.2f", 100 * (row->b.share - row->a.share));
    if (change->known)
        text_printf(out, "  [%+7.2f, %+7.2f]", 100 * change->low, 100 * change->high);
    else
        text_add(out, "                    ");
    text_printf(out, " %s %-4s", share_row_is_real(row) ? "*" : " ", state_of(row));
    if (layout->periods) {
        add_period(out, &row->a, layout->counts_ns);
        add_period(out, &row->b, layout->counts_ns);
    }
    for (size_t column = 0; column < layout->column_count; column++) {
        scoped_text struct text word = {0};
        struct view cut = column_of(row, column);
        text_append(&word, cut.text, cut.length);
        size_t columns = text_columns(text_string(&word));
        text_printf(out, "  %s", text_string(&word));
        if (column + 1 < layout->column_count && columns < widths[column])
            text_add_repeated(out, " ", widths[column] - columns);
    }
    text_add_char(out, '\n');
}

/* ---- cells, for spreadsheets ---- */

static void add_cell(struct text *out, const struct share_layout *layout, struct view word)
{
    text_add(out, layout->separator);
    for (size_t at = 0; at < word.length; at++)
        text_add_char(out, word.text[at] == layout->separator[0] ? '.' : word.text[at]);
}

static void add_number_cell(struct text *out, const struct share_layout *layout, bool known, const char *format,
                            double number)
{
    char cell[64] = "";
    if (known)
        snprintf(cell, sizeof(cell), format, number);
    add_cell(out, layout, view_of(cell));
}

static void add_cells(struct text *out, const struct share_row *row, const struct share_layout *layout)
{
    const struct interval *change = &row->difference;
    if (row->a.samples)
        text_printf(out, "%.2f", 100 * row->a.share);
    add_number_cell(out, layout, row->b.samples, "%.2f", 100 * row->b.share);
    add_number_cell(out, layout, true, "%+.2f", 100 * (row->b.share - row->a.share));
    add_number_cell(out, layout, change->known, "%+.2f", 100 * change->low);
    add_number_cell(out, layout, change->known, "%+.2f", 100 * change->high);
    add_cell(out, layout, view_of(share_row_is_real(row) ? "*" : ""));
    add_cell(out, layout, view_of(state_of(row)));
    if (layout->periods) {
        add_number_cell(out, layout, true, layout->counts_ns ? "%.3f" : "%.0f",
                        layout->counts_ns ? row->a.weight / 1e6 : row->a.weight);
        add_number_cell(out, layout, true, layout->counts_ns ? "%.3f" : "%.0f",
                        layout->counts_ns ? row->b.weight / 1e6 : row->b.weight);
    }
    for (size_t column = 0; column < layout->column_count; column++)
        add_cell(out, layout, column_of(row, column));
    text_add_char(out, '\n');
}

static void add_cell_headings(struct text *out, const struct share_layout *layout)
{
    static const char *const numbers[] = {"B %", "B - A", "low", "high", "real", "state"};
    text_add(out, "# A %");
    for (size_t at = 0; at < array_count(numbers); at++)
        add_cell(out, layout, view_of(numbers[at]));
    if (layout->periods) {
        add_cell(out, layout, view_of(layout->counts_ns ? "A ms" : "A period"));
        add_cell(out, layout, view_of(layout->counts_ns ? "B ms" : "B period"));
    }
    for (size_t column = 0; column < layout->column_count; column++)
        add_cell(out, layout, view_of(layout->columns[column]));
    text_add_char(out, '\n');
}

static void widths_find(const struct share_row *const *rows, size_t count, const struct share_layout *layout,
                        size_t *widths)
{
    for (size_t column = 0; column < layout->column_count; column++) {
        widths[column] = strlen(layout->columns[column]);
        for (size_t at = 0; at < count; at++) {
            scoped_text struct text word = {0};
            struct view cut = column_of(rows[at], column);
            text_append(&word, cut.text, cut.length);
            size_t wide = text_columns(text_string(&word));
            widths[column] = wide > widths[column] && wide <= NAME_WIDTH_MOST ? wide : widths[column];
        }
    }
}

void share_difference_text(struct text *out, const struct share_difference *difference,
                           const struct share_layout *layout)
{
    size_t count, widths[COLUMNS_MOST];
    scoped_free const struct share_row **rows = rows_shown(difference, layout, &count);
    if (layout->heading)
        add_heading(out, difference, layout);
    if (layout->separator) {
        if (layout->heading)
            add_cell_headings(out, layout);
        for (size_t at = 0; at < count; at++)
            add_cells(out, rows[at], layout);
        return;
    }
    widths_find(rows, count, layout, widths);
    if (layout->heading) {
        text_add(out, "#    A %     B %    B - A  [95 % interval   ]       ");
        if (layout->periods && layout->counts_ns)
            text_add(out, "      A ms         B ms  ");
        else if (layout->periods)
            text_add(out, "       A period       B period");
        for (size_t column = 0; column < layout->column_count; column++)
            text_printf(out, "  %-*s", column + 1 < layout->column_count ? (int)widths[column] : 0,
                        layout->columns[column]);
        text_add(out, "\n#\n");
    }
    for (size_t at = 0; at < count; at++)
        add_row(out, rows[at], layout, widths);
}

/* ---- JSON ---- */

static void add_side(struct json_writer *json, const char *key, const char *const *files, size_t count)
{
    json_array_open(json, key);
    for (size_t at = 0; at < count; at++)
        json_string(json, NULL, files[at]);
    json_array_close(json);
}

static void add_json_row(struct json_writer *json, const struct share_row *row, const struct share_layout *layout)
{
    json_object_open(json, NULL);
    json_object_open(json, "name");
    for (size_t column = 0; column < layout->column_count; column++) {
        struct view word = column_of(row, column);
        json_string_n(json, layout->columns[column], word.text, word.length);
    }
    json_object_close(json);
    json_double(json, "a_share", row->a.share);
    json_double(json, "b_share", row->b.share);
    json_interval(json, "difference", row->difference);
    json_u64(json, "a_samples", row->a.samples);
    json_u64(json, "b_samples", row->b.samples);
    json_double(json, "a_period", row->a.weight);
    json_double(json, "b_period", row->b.weight);
    if (row->is_test)
        json_double(json, "false_discovery_rate", row->q);
    else
        json_null(json, "false_discovery_rate");
    json_bool(json, "real", share_row_is_real(row));
    json_string(json, "state", state_of(row)[0] ? state_of(row) : "both");
    json_object_close(json);
}

void share_difference_json(struct json_writer *json, const struct share_difference *difference,
                           const struct share_layout *layout)
{
    size_t count;
    scoped_free const struct share_row **rows = rows_shown(difference, layout, &count);
    json_object_open(json, NULL);
    add_side(json, "a", layout->files_a, layout->count_a);
    add_side(json, "b", layout->files_b, layout->count_b);
    json_string(json, "event", layout->event);
    json_string(json, "of", layout->of);
    json_string(json, "spread",
                difference->too_few_samples ? NULL
                : difference->between_runs  ? "between recordings"
                                            : "within recordings");
    json_u64(json, "judged", difference->test_count);
    json_array_open(json, "rows");
    for (size_t at = 0; at < count; at++)
        add_json_row(json, rows[at], layout);
    json_array_close(json);
    json_object_close(json);
}
