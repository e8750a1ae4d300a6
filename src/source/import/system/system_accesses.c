/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf mem report: of the time that sampled loads waited (their weight), how much went to which memory. Old kernels say
 * "Remote RAM (1 hop) hit" and "Local RAM hit", newer ones "Remote RAM or RAM hit" and "RAM hit", the newest with the
 * hops in between ("Remote node, same socket RAM hit").
 *
 * Rows with a symbol are handed on as perf report's, those of one symbol that differ in their memory alone as one;
 * others are read here alone. Does not support: symbols beyond the first SYMBOLS_MOST (their rows are handed on as they
 * are).
 */
#include "base/vec.h"
#include "source/import/import_cells.h"
#include "source/import/system/system_reading.h"

enum level { LEVEL_UNKNOWN, LEVEL_CACHE, LEVEL_MEMORY, LEVEL_REMOTE };

static enum level level_of(struct view access)
{
    static const char *const near[] = {"core, same node"},
                             *const memory[] = {"RAM", "PMEM", "CXL"},
                             *const others[] = {"L1",  "L2",  "L3",  "L4",       "LFB", "MAB",
                                                "LLC", "I/O", "N/A", "Uncached", "Any cache", "Cache", "cache", "MSC"};
    bool is_remote = view_find(access, "Remote") >= 0 || view_find(access, "remote") >= 0;
    for (size_t at = 0; at < array_count(near); at++)
        is_remote &= view_find(access, near[at]) < 0;
    for (size_t at = 0; at < array_count(memory); at++)
        if (view_find(access, memory[at]) >= 0)
            return is_remote ? LEVEL_REMOTE : LEVEL_MEMORY;
    for (size_t at = 0; at < array_count(others); at++)
        if (view_find(access, others[at]) >= 0)
            return LEVEL_CACHE;
    return LEVEL_UNKNOWN;
}

/* A row that names a symbol: what stands behind its share, and all that its rows have. */
struct symbol_row {
    struct view symbol, behind;
    double percent;
};

enum { SYMBOLS_MOST = 256 };

struct weights {
    double all, memory, remote; /* percent */
    double row;                 /* percent: of the one that was read last */
    bool is_unread;             /* a row of it has no level that is known */
    struct symbol_row symbols[SYMBOLS_MOST];
    size_t symbol_count;
};

static struct view symbol_of(struct view line)
{
    ptrdiff_t mark = view_find(line, "[.] ");
    mark = mark >= 0 ? mark : view_find(line, "[k] ");
    return mark >= 0 ? view_trim(view_skip(line, (size_t)mark)) : (struct view){0};
}

/* False: it names none, or there are too many. */
static bool symbol_add(struct weights *weights, struct view line)
{
    struct view symbol = symbol_of(line), behind = view_trim(line);
    (void)view_word(&behind);
    for (size_t at = 0; symbol.length && at < weights->symbol_count; at++)
        if (views_equal_caseless(weights->symbols[at].symbol, symbol)) {
            weights->symbols[at].percent += weights->row;
            return true;
        }
    if (!symbol.length || weights->symbol_count == SYMBOLS_MOST)
        return false;
    weights->symbols[weights->symbol_count++] = (struct symbol_row){symbol, behind, weights->row};
    return true;
}

/* "61.20%  20118  Remote RAM or RAM hit": false, it is no row. */
static bool row_read(const struct cells *row, ptrdiff_t column, struct weights *weights)
{
    struct view first = row->count ? row->items[0] : (struct view){0};
    double percent;
    if (!view_ends(first, "%") || !view_decimal((struct view){first.text, first.length - 1}, &percent) ||
        !(percent >= 0 && percent <= 100))
        return false;
    weights->row = percent;
    enum level level = level_of(cell_at(row, column));
    weights->is_unread |= level == LEVEL_UNKNOWN;
    weights->all += percent;
    weights->memory += level == LEVEL_MEMORY ? percent : 0;
    weights->remote += level == LEVEL_REMOTE ? percent : 0;
    return true;
}

static bool is_between(struct view line)
{
    line = view_trim(line);
    return !line.length || view_starts(line, "#") || view_starts(line, ".") || view_starts(line, "-");
}

static void weights_keep(struct system_reading *reading, const struct weights *weights)
{
    static const double ROUNDED = 100.5;
    if (weights->is_unread || weights->all > ROUNDED)
        return;
    struct system_table *table = system_table_begin(reading, TOOL_ACCESSES);
    system_meet(table, FACT_WEIGHT_MEMORY, weights->memory < 100 ? weights->memory : 100);
    system_meet(table, FACT_WEIGHT_REMOTE, weights->remote < 100 ? weights->remote : 100);
}

static void symbols_write(const struct weights *weights, struct text *out)
{
    for (size_t at = 0; at < weights->symbol_count; at++)
        text_printf(out, "\n    %.2f%%  %.*s", weights->symbols[at].percent, (int)weights->symbols[at].behind.length,
                    weights->symbols[at].behind.text);
}

bool system_accesses_read(struct system_reading *reading, struct view line, struct view *rest, struct text *out)
{
    struct cells heading, row;
    struct weights weights = {0};
    cells_in_columns(line, &heading);
    ptrdiff_t column = cell_named(&heading, "Memory access");
    bool has_symbols = cell_named(&heading, "Symbol") >= 0, any = false;
    if (column < 1 || !view_equal(heading.items[0], "Overhead"))
        return false;
    text_append(out, line.text, line.length);
    for (struct view after = *rest; view_line(&after, &line);) {
        cells_in_columns(line, &row);
        bool is_row = row_read(&row, column, &weights);
        if (!is_row && !is_between(line))
            break;
        any |= is_row;
        *rest = after;
        if (is_row && has_symbols && symbol_add(&weights, line))
            continue;
        text_add_char(out, '\n');
        if (has_symbols || !is_row)
            text_append(out, line.text, line.length);
    }
    symbols_write(&weights, out);
    if (any)
        weights_keep(reading, &weights);
    return true;
}
