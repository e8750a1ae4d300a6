/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far do more threads help, by a table of rates with a column of threads, as llama-bench prints it, or by a
 * sentence with the times or rates of two numbers of threads? Twice as many that bring next to nothing share something
 * that is used up; that bring twice as much share nothing that is.
 *
 * Does not support: tables without bars of more than these two columns, and times in tables instead of rates.
 */
#include "source/import/import_cells.h"
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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

/* "threads   ops/s", and below it "8   265,000": columns without bars, of nothing else. */
static bool plain_read(struct system_reading *reading, struct view line)
{
    struct words words;
    struct cells cells = {.count = 2};
    words_of(line, &words);
    if (words.count != cells.count)
        return false;
    cells.items[0] = words.items[0];
    cells.items[1] = words.items[1];
    return reading->scaling.threads ? row_read(&reading->scaling, &cells) : heading_read(reading, &cells);
}

bool system_scaling_read(struct system_reading *reading, struct view line)
{
    struct cells cells;
    if (view_find(line, "|") < 0) {
        bool is_plain = plain_read(reading, line);
        reading->scaling.threads = is_plain ? reading->scaling.threads : 0;
        return is_plain;
    }
    cells_at(line, '|', &cells);
    bool read = reading->scaling.threads ? row_read(&reading->scaling, &cells) : heading_read(reading, &cells);
    return read && reading->scaling.test; /* others may tell of a change, too */
}

/* ---- sentences ---- */

/* What a sentence has of them, in its order; more than two: of which is which nothing is known. */
struct scaled_words {
    double threads[2], amounts[2];
    size_t thread_count, amount_count;
    bool are_rates, names_threads;
};

static struct view without_marks(struct view word)
{
    while (word.length && strchr("(\"'`*[~", word.text[0]))
        word = view_skip(word, 1);
    while (word.length && strchr(")\"'`*,;:.!?]", word.text[word.length - 1]))
        word.length--;
    return word;
}

/* Seconds a unit has, or 0: it is none of time; *ret_is_rate: it is of what was done in a second. */
static double unit_of(struct view word, bool *ret_is_rate)
{
    static const struct {
        const char *unit;
        double factor;
        bool is_rate;
    } units[] = {{"s", 1, false},       {"sec", 1, false},      {"seconds", 1, false}, {"ms", 1e-3, false},
                 {"min", 60, false},    {"minutes", 60, false}, {"t/s", 1, true},      {"tok/s", 1, true},
                 {"tokens/s", 1, true}, {"tps", 1, true},       {"it/s", 1, true}};
    word = without_marks(word);
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(word, units[at].unit)) {
            *ret_is_rate = units[at].is_rate;
            return units[at].factor;
        }
    return 0;
}

static bool names_threads(struct view word)
{
    static const char *const nouns[] = {"thread", "threads", "core", "cores", "worker", "workers"};
    return view_is_any_caseless(without_marks(word), nouns, array_count(nouns));
}

/* "60.8 s", "60.8s", "16": one number of the sentence; false: more than can be told apart. */
static bool number_take(struct scaled_words *said, struct view word, struct view next)
{
    size_t digits = 0;
    double number;
    bool is_rate = false;
    word = without_marks(word);
    while (digits < word.length && (isdigit((unsigned char)word.text[digits]) || word.text[digits] == '.'))
        digits++;
    if (!digits || !view_decimal((struct view){word.text, digits}, &number))
        return true;
    double factor = unit_of(digits < word.length ? view_skip(word, digits) : next, &is_rate);
    if (factor > 0) {
        said->are_rates = is_rate;
        if (said->amount_count < 2)
            said->amounts[said->amount_count] = number * factor;
        return ++said->amount_count <= 2;
    }
    if (digits < word.length || number < 1 || fabs(number - floor(number)) > 0)
        return true;
    if (said->thread_count < 2)
        said->threads[said->thread_count] = number;
    return ++said->thread_count <= 2;
}

static void sentence_take(struct scaling *scaling, struct view sentence)
{
    struct scaled_words said = {0};
    struct view rest = sentence, word = view_word(&rest);
    for (struct view next; word.length; word = next) {
        next = view_word(&rest);
        said.names_threads |= names_threads(word);
        if (!number_take(&said, word, next))
            return;
    }
    if (!said.names_threads || said.thread_count != 2 || said.amount_count != 2 || scaling->count + 2 > SCALED_MOST)
        return;
    for (size_t at = 0; at < 2; at++) /* both stand in one order: "16 instead of 32 : 60.8 s instead of 31.0 s" */
        if (said.amounts[at] > 0)
            scaling->rows[scaling->count++] = (struct scaled_row){
                sentence, said.threads[at], said.are_rates ? said.amounts[at] : 1 / said.amounts[at], !said.are_rates};
}

void system_scaling_note(struct system_reading *reading, struct view line)
{
    if (view_find(line, "|") >= 0)
        return;
    while (line.length) {
        ptrdiff_t end = view_find(line, ". ");
        sentence_take(&reading->scaling, (struct view){line.text, end < 0 ? line.length : (size_t)end + 1});
        line = end < 0 ? (struct view){0} : view_skip(line, (size_t)end + 2);
    }
}

/* ---- together ---- */

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
