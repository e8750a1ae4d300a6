/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_uprof.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *printed, *name;
} classes[] = {
    {"Frontend_Bound", "frontend_bound"},
    {"Frontend_Bound.Latency", "frontend_bound_latency"},
    {"Frontend_Bound.BW", "frontend_bound_bandwidth"},
    {"Bad_Speculation", "bad_speculation"},
    {"Bad_Speculation.Mispredicts", "bad_speculation_mispredicts"},
    {"Bad_Speculation.Pipeline_Restarts", "bad_speculation_pipeline_restarts"},
    {"Backend_Bound", "backend_bound"},
    {"Backend_Bound.Memory", "backend_bound_memory"},
    {"Backend_Bound.CPU", "backend_bound_cpu"},
    {"Retiring", NULL}, /* its parts are told, and no cause goes by the sum */
    {"Retiring.Fastpath", "retiring_fastpath"},
    {"Retiring.Microcode", "retiring_microcode"},
    {"SMT_Disp_contention", "smt_contention"},
};

enum { CELLS_MOST = 512, TABLES_MOST = 64 };

struct cells {
    struct view items[CELLS_MOST];
    size_t count;
    char separator;
};

/* "a,b,", "a|b|"; names of functions may stand in quotes. */
static void cells_of(struct view line, struct cells *ret_cells)
{
    line = view_trim(line);
    ptrdiff_t bar = view_find(line, "|"), comma = view_find(line, ",");
    ret_cells->separator = bar >= 0 && comma < 0 ? '|' : ',';
    ret_cells->count = 0;
    while (line.length && ret_cells->count < CELLS_MOST) {
        struct view cell;
        if (view_starts(line, "\"")) {
            line = view_skip(line, 1);
            cell = view_cut(&line, '"');
            (void)view_cut(&line, ret_cells->separator);
        } else {
            cell = view_trim(view_cut(&line, ret_cells->separator));
        }
        ret_cells->items[ret_cells->count++] = cell;
    }
}

/* "Backend_Bound.Memory (%)" too. */
static ptrdiff_t class_of(struct view cell)
{
    ptrdiff_t unit = view_find(cell, " (");
    if (unit > 0)
        cell.length = (size_t)unit;
    cell.length -= view_ends(cell, " %") ? 2 : 0;
    for (size_t at = 0; at < array_count(classes); at++)
        if (view_equal(cell, classes[at].printed))
            return (ptrdiff_t)at;
    return -1;
}

static bool number_of(struct view cell, double *ret_number)
{
    return view_double(cell, ret_number) && isfinite(*ret_number) && *ret_number >= 0;
}

static void class_put(struct text *out, size_t class, double percent)
{
    if (percent <= 100 && classes[class].name)
        text_printf(out, "%.4g %% %s\n", percent, classes[class].name);
}

/* A look: as many numbers as there are columns, perhaps behind a time. */
static bool is_look(const struct cells *heading, const struct cells *row)
{
    double ignored;
    size_t numbers = 0;
    for (size_t at = 0; at < row->count; at++)
        numbers += number_of(row->items[at], &ignored);
    return row->count + 2 >= heading->count && row->count <= heading->count + 1 && numbers + 2 >= row->count &&
           numbers > 1;
}

/* A metric a column; of several packages the first, which is the system where that was asked for. */
static bool columns_put(struct text *out, const struct cells *heading, struct view *rest, struct cells *row)
{
    double sums[array_count(classes)] = {0}, value;
    size_t looks[array_count(classes)] = {0}, known = 0;
    ptrdiff_t columns[array_count(classes)];
    for (size_t at = 0; at < array_count(classes); at++)
        columns[at] = -1;
    for (size_t at = 0; at < heading->count; at++) {
        ptrdiff_t class = class_of(heading->items[at]);
        if (class >= 0 && columns[class] < 0) {
            columns[class] = (ptrdiff_t)at;
            known++;
        }
    }
    if (known < 2)
        return false;
    struct view line;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        cells_of(line, row);
        bool between = row->count == 0 || view_starts(view_trim(line), "Profiling started");
        if (!between && !is_look(heading, row))
            break;
        for (size_t at = 0; at < array_count(classes); at++)
            if (!between && columns[at] >= 0 && (size_t)columns[at] < row->count &&
                number_of(row->items[columns[at]], &value)) {
                sums[at] += value;
                looks[at]++;
            }
    }
    for (size_t at = 0; at < array_count(classes); at++)
        if (looks[at])
            class_put(out, at, sums[at] / (double)looks[at]);
    return true;
}

/* "Backend_Bound.Memory,61.2,60.8,": a metric a row, as -C prints them. */
static bool metric_put(struct text *out, const struct cells *cells)
{
    double value;
    ptrdiff_t class = cells->count > 1 ? class_of(cells->items[0]) : -1;
    if (class < 0 || !number_of(cells->items[1], &value))
        return false;
    class_put(out, (size_t) class, value);
    return true;
}

/* ---- the report's tables ---- */

/* "10 HOTTEST FUNCTIONS (Sort Event - CPU_TIME)", perhaps in quotes: of "FUNCTIONS"; length 0: of nothing. */
static bool is_hottest(struct view line, const char *what, struct view *ret_event)
{
    line = view_trim(line);
    ptrdiff_t hot = view_find(line, "HOTTEST "), event = view_find(line, "(Sort Event - ");
    if (hot < 0 || event < hot || !view_starts(view_skip(line, (size_t)hot + 8), what))
        return false;
    *ret_event = view_skip(line, (size_t)event + strlen("(Sort Event - "));
    *ret_event = view_cut(ret_event, ')');
    return true;
}

/* What all modules have together of an event; 0: there is no such table. */
static double modules_sum(struct view text, struct view event, struct cells *row)
{
    struct view line, own;
    double sum = 0, value;
    bool inside = false;
    while (view_line(&text, &line)) {
        if (is_hottest(line, "MODULES", &own)) {
            inside = own.length == event.length && own.length && memcmp(own.text, event.text, own.length) == 0;
            continue;
        }
        cells_of(line, row);
        if (!row->count && sum > 0)
            return sum;
        if (inside && row->count > 1 && number_of(row->items[1], &value))
            sum += value;
    }
    return sum;
}

/* Shares are of time alone: of cache misses the largest part says nothing of how long it took. */
static bool is_of_time(struct view event)
{
    return view_find(event, "TIME") >= 0 || view_find(event, "CYCLES") >= 0 || view_find(event, "CPU_CLOCK") >= 0 ||
           view_find(event, "CLOCKS") >= 0;
}

static void function_put(struct text *out, const struct cells *row, double all)
{
    double value;
    struct view module = row->items[row->count - 1];
    if (row->count < 3 || !(all > 0) || !number_of(row->items[1], &value) || value > all || !row->items[0].length)
        return;
    text_printf(out, "%.4g%%  ", 100 * value / all);
    for (size_t at = 0; at < module.length; at++) /* a report's binary is one word */
        text_add_char(out, isspace((unsigned char)module.text[at]) ? '_' : module.text[at]);
    text_add(out, module.length ? "  [.] " : "-  [.] ");
    text_append(out, row->items[0].text, row->items[0].length);
    text_add_char(out, '\n');
}

/* Tables of processes, threads and modules are gone over. */
static bool hottest_put(struct text *out, struct view text, struct view line, struct view *rest, struct cells *row)
{
    struct view event;
    if (!is_hottest(line, "", &event))
        return false;
    bool functions = is_hottest(line, "FUNCTIONS", &event);
    double all = functions && is_of_time(event) ? modules_sum(text, event, row) : 0;
    text_add_char(out, '\n');
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        cells_of(line, row);
        if (row->count < 2)
            break;
        function_put(out, row, all);
    }
    text_add_char(out, '\n');
    return true;
}

static bool has_tables(struct view text)
{
    return view_find(text, "uProf") >= 0 || view_find(text, "HOTTEST ") >= 0 ||
           view_find(text, "Total_Dispatch_Slots") >= 0 || view_find(text, "SMT_Disp_contention") >= 0;
}

struct view import_uprof_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    size_t tables = 0; /* each looks through the whole text */
    if (!has_tables(text))
        return text;
    struct cells *cells = arena_array(arena, struct cells, 1), *row = arena_array(arena, struct cells, 1);
    while (view_line(&rest, &line)) {
        cells_of(line, cells);
        if (columns_put(&out, cells, &rest, row) || metric_put(&out, cells) ||
            (tables < TABLES_MOST && hottest_put(&out, text, line, &rest, row))) {
            tables++;
            turned = true;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
