/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far do more threads help, by a table of rates with a column of threads, as llama-bench prints it? Twice as many
 * that bring next to nothing share something that is used up.
 *
 * Does not support: tables without bars, and times instead of rates.
 */
#include "source/import/import_cells.h"
#include "source/import/system/system_reading.h"

/* "t/s", "tokens/s", "MB/s": of how much in a second. */
static bool is_rate(struct view cell)
{
    return cell.length > 2 && (view_ends(cell, "/s") || view_ends(cell, "/sec"));
}

static bool heading_read(struct system_reading *reading, const struct cells *cells)
{
    size_t threads = 0, rate = 0, test = 0;
    for (size_t at = 0; at < cells->count; at++) {
        threads = view_equal(cells->items[at], "threads") ? at + 1 : threads;
        test = view_equal(cells->items[at], "test") ? at + 1 : test;
        rate = is_rate(cells->items[at]) ? at + 1 : rate;
    }
    if (!threads || !rate)
        return false;
    reading->scaling.threads = threads;
    reading->scaling.rate = rate;
    reading->scaling.test = test;
    return true;
}

/* "| llama 70B Q4_0 | 36.20 GiB | 32 | tg128 | 8.30 ± 0.01 |", or the rule below the heading. */
static bool row_read(struct scaling *scaling, const struct cells *cells)
{
    struct scaled_row row = {0};
    if (cells->count < scaling->threads || cells->count < scaling->rate)
        return false;
    struct view rate = cells->items[scaling->rate - 1], threads = cells->items[scaling->threads - 1];
    if (view_starts(threads, "-") || view_starts(threads, ":"))
        return true;
    if (!view_grouped(threads, &row.threads) || !view_grouped(view_word(&rate), &row.rate) || !(row.threads >= 1) ||
        !(row.rate > 0))
        return false;
    row.test = scaling->test && cells->count >= scaling->test ? cells->items[scaling->test - 1] : (struct view){0};
    if (scaling->count < SCALED_MOST)
        scaling->rows[scaling->count++] = row;
    return true;
}

bool system_scaling_read(struct system_reading *reading, struct view line)
{
    struct cells cells;
    if (view_find(line, "|") < 0) {
        reading->scaling.threads = 0;
        return false;
    }
    cells_at(line, '|', &cells);
    bool read = reading->scaling.threads ? row_read(&reading->scaling, &cells) : heading_read(reading, &cells);
    return read && reading->scaling.test; /* others may tell of a change, too */
}

static bool same_view(struct view one, struct view other)
{
    return one.length == other.length && (!one.length || memcmp(one.text, other.text, one.length) == 0);
}

bool system_scaling_worst(const struct scaling *scaling, const struct scaled_row **ret_few,
                          const struct scaled_row **ret_many)
{
    double least = 0;
    *ret_few = *ret_many = NULL;
    for (size_t at = 0; at < scaling->count; at++)
        for (size_t other = 0; other < scaling->count; other++) {
            const struct scaled_row *few = &scaling->rows[at], *many = &scaling->rows[other];
            double gained = many->rate / few->rate;
            if (many->threads != 2 * few->threads || !same_view(few->test, many->test) || (*ret_few && gained >= least))
                continue;
            least = gained;
            *ret_few = few;
            *ret_many = many;
        }
    return *ret_few;
}
