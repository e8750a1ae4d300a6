/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/import_labelled.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_cells.h"

#include <ctype.h>

/* ---- page sizes in a table of Markdown ---- */

enum { COLUMNS_MOST = 12, ROWS_MOST = 64 };
enum pages { PAGES_UNSAID, PAGES_SMALL, PAGES_HUGE };
enum side { SIDE_NONE, SIDE_GUEST, SIDE_HOST };

struct row {
    struct view cells[COLUMNS_MOST];
    size_t count;
};

struct table {
    struct row heading, rows[ROWS_MOST];
    size_t count;
};

static bool row_read(struct view line, struct row *row)
{
    line = view_trim(line);
    row->count = 0;
    if (!view_starts(line, "|"))
        return false;
    for (line = view_skip(line, 1); line.length && row->count < COLUMNS_MOST;) {
        struct view cell = view_trim(view_cut(&line, '|'));
        while (cell.length && strchr("*`", cell.text[0]) && cell.text[0])
            cell = view_skip(cell, 1);
        while (cell.length && strchr("*`", cell.text[cell.length - 1]) && cell.text[cell.length - 1])
            cell.length--;
        row->cells[row->count++] = view_trim(cell);
    }
    return row->count > 1 && !line.length;
}

static bool table_read(struct view *text, struct table *table)
{
    struct view rest = *text, line;
    table->count = 0;
    if (!view_line(&rest, &line) || !row_read(line, &table->heading) || !view_line(&rest, &line) ||
        !cells_are_rule(line))
        return false;
    for (struct view after = rest;
         table->count < ROWS_MOST && view_line(&after, &line) && row_read(line, &table->rows[table->count]) &&
         table->rows[table->count].count == table->heading.count;
         rest = after)
        table->count++;
    *text = rest;
    return table->count > 1;
}

/* "4k", "2 MiB", "huge pages", "THP always" */
static enum pages pages_of(struct view cell)
{
    static const char *const small[] = {"4k",          "4kb",     "4kib",        "4 kib",      "4 kb",  "4k pages",
                                        "4 kib pages", "small",   "small pages", "base pages", "never", "thp never",
                                        "thp=never",   "thp off", "no thp",      "thp: never"},
                             *const huge[] = {"2m",         "2mb",         "2mib",       "2 mib",     "2 mb",
                                              "2m pages",   "2 mib pages", "1g",         "1gb",       "1 gib",
                                              "1g pages",   "huge",        "huge pages", "hugepages", "hugetlbfs",
                                              "thp always", "thp=always",  "always",     "thp on",    "thp: always"};
    return view_is_any_caseless(cell, small, array_count(small)) ? PAGES_SMALL
           : view_is_any_caseless(cell, huge, array_count(huge)) ? PAGES_HUGE
                                                                 : PAGES_UNSAID;
}

/* "on" and "off" below a heading of huge pages: "THP", "huge pages" */
static enum pages switched_of(struct view heading, struct view cell)
{
    static const char *const off[] = {"off", "no", "disabled", "0", "never"}, *const on[] = {"on", "yes", "enabled",
                                                                                             "1", "always"};
    if (!view_mentions(heading, "thp") && !view_mentions(heading, "huge"))
        return PAGES_UNSAID;
    return view_is_any_caseless(cell, off, array_count(off)) ? PAGES_SMALL
           : view_is_any_caseless(cell, on, array_count(on)) ? PAGES_HUGE
                                                             : PAGES_UNSAID;
}

static enum pages pages_in(const struct table *table, const struct row *row, size_t column)
{
    enum pages pages = pages_of(row->cells[column]);
    return pages == PAGES_UNSAID ? switched_of(table->heading.cells[column], row->cells[column]) : pages;
}

/* Its cells are page sizes: all of them, or most where its heading says so. */
static bool is_of_pages(const struct table *table, size_t column)
{
    bool named =
        view_mentions(table->heading.cells[column], "page") || view_mentions(table->heading.cells[column], "thp");
    size_t small = 0, huge = 0;
    for (size_t row = 0; row < table->count; row++) {
        enum pages pages = pages_in(table, &table->rows[row], column);
        small += pages == PAGES_SMALL;
        huge += pages == PAGES_HUGE;
    }
    return small && huge && (named || small + huge == table->count);
}

static enum side side_of(struct view heading)
{
    return view_mentions(heading, "guest") ? SIDE_GUEST : view_mentions(heading, "host") ? SIDE_HOST : SIDE_NONE;
}

/* "s", "min" or "ms" of "SSSP s", "time [s]", "seconds"; "kops/s" of a rate; length 0: it is none of these. */
static struct view unit_of(struct view heading)
{
    static const char *const units[] = {"s", "ms", "min", "sec", "seconds", "minutes"};
    struct view word, found = {0};
    while ((word = view_word(&heading)).length) {
        while (word.length && strchr("([", word.text[0]) && word.text[0])
            word = view_skip(word, 1);
        while (word.length && strchr(")],:", word.text[word.length - 1]) && word.text[word.length - 1])
            word.length--;
        if (view_is_any_caseless(word, units, array_count(units)) || (view_ends(word, "/s") && word.length > 2))
            found = word;
    }
    return found;
}

/* What may differ between two rows of one trial: what they were measured to be. */
static bool is_measured(const struct table *table, size_t column)
{
    static const char *const given[] = {"thread", "size", "kernel", "machine", "cpus", "cores", "nodes", "input"};
    double ignored;
    for (size_t at = 0; at < array_count(given); at++)
        if (view_mentions(table->heading.cells[column], given[at]))
            return false;
    for (size_t row = 0; row < table->count; row++) {
        struct view rest = table->rows[row].cells[column], word = view_word(&rest);
        word.length -= view_ends(word, "%");
        if (word.length && !view_grouped(word, &ignored) && !view_equal(word, "-"))
            return false;
    }
    return true;
}

struct paged {
    const struct table *table;
    size_t columns[2]; /* of page sizes */
    size_t count, measure;
    struct view unit;
};

static bool paged_of(const struct table *table, struct paged *paged)
{
    *paged = (struct paged){.table = table, .measure = COLUMNS_MOST};
    for (size_t column = 0; column < table->heading.count; column++) {
        if (is_of_pages(table, column)) {
            if (paged->count == array_count(paged->columns))
                return false;
            paged->columns[paged->count++] = column;
        } else if (paged->measure == COLUMNS_MOST && unit_of(table->heading.cells[column]).length &&
                   is_measured(table, column)) {
            paged->measure = column;
            paged->unit = unit_of(table->heading.cells[column]);
        }
    }
    return paged->count && paged->measure < COLUMNS_MOST;
}

static bool is_alike(const struct paged *paged, const struct row *one, const struct row *other)
{
    for (size_t column = 0; column < one->count; column++) {
        bool is_page = column == paged->columns[0] || (paged->count > 1 && column == paged->columns[1]);
        if (!is_page && !is_measured(paged->table, column) &&
            !views_equal_caseless(one->cells[column], other->cells[column]))
            return false;
    }
    return true;
}

/* The first row with these sizes, like the other where there is one; NULL: none. */
static const struct row *row_with(const struct paged *paged, const enum pages *pages, const struct row *like)
{
    double ignored;
    for (size_t at = 0; at < paged->table->count; at++) {
        const struct row *row = &paged->table->rows[at];
        bool fits = view_grouped(row->cells[paged->measure], &ignored) && ignored > 0;
        for (size_t column = 0; column < paged->count; column++)
            fits &= pages_in(paged->table, row, paged->columns[column]) == pages[column];
        if (fits && (!like || is_alike(paged, like, row)))
            return row;
    }
    return NULL;
}

static int decimals_of(struct view cell)
{
    enum { DECIMALS_MOST = 9 };
    ptrdiff_t point = view_find(cell, ".");
    size_t decimals = point < 0 ? 0 : cell.length - (size_t)point - 1;
    return decimals < DECIMALS_MOST ? (int)decimals : DECIMALS_MOST;
}

/* " 30.0 s": of several runs alike the mean, by a digit more than each has. */
static void measure_put(struct text *out, const struct paged *paged, const struct row *like, struct view unit)
{
    double sum = 0, value;
    size_t count = 0;
    for (size_t at = 0; at < paged->table->count; at++) {
        const struct row *row = &paged->table->rows[at];
        bool fits = view_grouped(row->cells[paged->measure], &value) && value > 0 && is_alike(paged, like, row);
        for (size_t column = 0; column < paged->count; column++)
            fits &= pages_in(paged->table, row, paged->columns[column]) ==
                    pages_in(paged->table, like, paged->columns[column]);
        sum += fits ? value : 0;
        count += fits;
    }
    text_printf(out, " %.*f %.*s", decimals_of(like->cells[paged->measure]) + (count > 1), sum / (double)count,
                (int)unit.length, unit.text);
}

static void pages_sentence(struct text *out, const struct paged *paged, const struct row *small, const struct row *huge,
                           const char *where)
{
    struct view unit = paged->unit;
    bool is_rate = view_ends(unit, "/s");
    unit = view_is_any_caseless(unit, (const char *const[]){"sec", "seconds"}, 2) ? VIEW("s")
           : views_equal_caseless(unit, VIEW("minutes"))                          ? VIEW("min")
                                                                                  : unit;
    text_printf(out, "A table: with huge pages%s it %s", where, is_rate ? "made" : "took");
    measure_put(out, paged, huge, unit);
    text_add(out, " instead of");
    measure_put(out, paged, small, unit);
    text_add(out, ".\n");
}

/* Each side's change by itself, where the table has that, and both together. */
static void pages_put(struct text *out, const struct paged *paged)
{
    static const enum pages none[] = {PAGES_SMALL, PAGES_SMALL}, both[] = {PAGES_HUGE, PAGES_HUGE};
    static const char *const where[] = {[SIDE_NONE] = "", [SIDE_GUEST] = " in the guest", [SIDE_HOST] = " on the host"};
    enum side sides[array_count(paged->columns)] = {SIDE_NONE};
    const struct row *small = row_with(paged, none, NULL);
    for (size_t column = 0; small && column < paged->count; column++) {
        enum pages pages[] = {PAGES_SMALL, PAGES_SMALL};
        pages[column] = PAGES_HUGE;
        const struct row *huge = row_with(paged, pages, small);
        sides[column] = side_of(paged->table->heading.cells[paged->columns[column]]);
        if (huge)
            pages_sentence(out, paged, small, huge, where[sides[column]]);
    }
    const struct row *all = small && paged->count > 1 ? row_with(paged, both, small) : NULL;
    if (all && sides[0] != SIDE_NONE && sides[1] != SIDE_NONE && sides[0] != sides[1])
        pages_sentence(out, paged, small, all, " in the guest and on the host");
}

/* ---- one setting a row ---- */

/* What the other rows are compared with: "as is", "baseline". */
static bool is_base(struct view cell)
{
    static const char *const names[] = {"as is",  "as it is", "baseline", "base",    "default",   "defaults", "stock",
                                        "before", "original", "current",  "nothing", "unchanged", "none",     "-"};
    return view_is_any_caseless(cell, names, array_count(names));
}

/* "108k", "28.9 s": a number, and nothing but its unit. */
static bool is_amount(struct view cell)
{
    double value;
    struct view word = view_word(&cell), unit = view_word(&cell);
    while (word.length && !isdigit((unsigned char)word.text[word.length - 1]))
        word.length--;
    return view_grouped(word, &value) && value > 0 && (!unit.length || !view_word(&cell).length);
}

/* "| setting | rows/s |": two columns, and the first row is the state before any change. */
static bool is_of_settings(const struct table *table)
{
    static const char *const heads[] = {"setting", "variant", "change", "config", "option", "tried", "trial"};
    bool is_named = false;
    for (size_t at = 0; at < array_count(heads); at++)
        is_named |= view_mentions(table->heading.cells[0], heads[at]);
    if (!is_named || table->heading.count != 2 || !unit_of(table->heading.cells[1]).length ||
        !is_base(table->rows[0].cells[0]))
        return false;
    for (size_t row = 0; row < table->count; row++)
        if (!is_amount(table->rows[row].cells[1]) || (row && is_base(table->rows[row].cells[0])) ||
            !table->rows[row].cells[0].length)
            return false;
    return true;
}

/* " 108k rows/s", whatever unit stands in the cell itself. */
static void amount_put(struct text *out, struct view cell, struct view unit)
{
    struct view word = view_word(&cell), own = view_word(&cell);
    unit = own.length ? own : unit;
    text_printf(out, " %.*s %.*s", (int)word.length, word.text, (int)unit.length, unit.text);
}

static void settings_put(struct text *out, const struct table *table)
{
    struct view unit = unit_of(table->heading.cells[1]);
    for (size_t row = 1; row < table->count; row++) {
        struct view label = table->rows[row].cells[0];
        text_printf(out, "A table: with %.*s it %s", (int)label.length, label.text,
                    view_ends(unit, "/s") ? "made" : "took");
        amount_put(out, table->rows[row].cells[1], unit);
        text_add(out, " instead of");
        amount_put(out, table->rows[0].cells[1], unit);
        text_add(out, ".\n");
    }
}

/* What source/import/import_markdown reads, too: times by name. */
static bool is_of_times(struct view heading)
{
    static const char *const words[] = {"time", "seconds", "elapsed", "runtime", "wall"};
    bool is_one = false;
    for (size_t at = 0; at < array_count(words); at++)
        is_one |= view_mentions(heading, words[at]);
    return is_one;
}

/* kept: the text without the tables that are read here alone. Returns whether there was one. */
static bool tables_put(struct text *out, struct view text, struct arena *arena, struct text *kept)
{
    struct table *table = arena_array(arena, struct table, 1);
    struct view line, from = text;
    bool taken = false;
    for (; text.length; from = text) {
        struct paged paged;
        size_t before = out->length;
        bool is_table = table_read(&text, table);
        bool is_paged = is_table && paged_of(table, &paged), is_set = is_table && !is_paged && is_of_settings(table);
        if (is_paged)
            pages_put(out, &paged);
        if (is_set)
            settings_put(out, table);
        if (!is_table && !view_line(&text, &line))
            break;
        bool takes = is_set || (is_paged && out->length > before && !is_of_times(table->heading.cells[paged.measure]) &&
                                table->heading.count == paged.count + 1);
        taken |= takes;
        if (takes)
            text_add_char(kept, '\n');
        else
            text_append(kept, from.text, from.length - text.length);
    }
    return taken;
}

/* ---- timed commands ---- */

enum { RUNS_MOST = 32, NODE_NONE = -1 };

/* A command with its time, and what of it may be a change. */
struct run {
    struct view command;
    double seconds;
    int cpu_node, memory_node;
    enum pages pages;
};

/* Skips the option's value where that is a word of its own; false: it is another option. */
static bool node_of(struct view word, struct view *rest, const char *letter, const char *name, int *ret_node)
{
    uint64_t node;
    struct view value = {0};
    if (view_equal(word, letter) || view_equal(word, name))
        value = view_word(rest);
    else if (view_starts(word, name) && view_starts(view_skip(word, strlen(name)), "="))
        value = view_skip(word, strlen(name) + 1);
    else
        return false;
    *ret_node = view_u64(value, 10, &node) && node < 1024 ? (int)node : NODE_NONE;
    return true;
}

static bool is_tunable(struct view word, enum pages *ret_pages)
{
    static const char none[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=";
    if (!view_starts(word, none) || word.length != sizeof(none))
        return false;
    char last = word.text[word.length - 1];
    *ret_pages = last == '0' ? PAGES_SMALL : last == '1' || last == '2' ? PAGES_HUGE : PAGES_UNSAID;
    return true;
}

/* "-C 0-7": another option of numactl's whose value is a word of its own. */
static bool takes_value(struct view word)
{
    static const char *const options[] = {"-C", "-i", "-p", "-P"};
    return view_is_any_caseless(word, options, array_count(options));
}

static void word_put(struct text *out, struct view word)
{
    text_append(out, word.text, word.length);
    text_add_char(out, ' ');
}

/* The command's other words into out; what it is tried with into the run. A program may have options of these names. */
static void command_read(struct view command, struct run *run, struct text *out)
{
    struct view word;
    bool of_numactl = false;
    run->cpu_node = run->memory_node = NODE_NONE;
    run->pages = PAGES_UNSAID;
    text_clear(out);
    while ((word = view_word(&command)).length) {
        bool is_option = of_numactl && view_starts(word, "-");
        if ((is_option && (node_of(word, &command, "-N", "--cpunodebind", &run->cpu_node) ||
                           node_of(word, &command, "-m", "--membind", &run->memory_node))) ||
            is_tunable(word, &run->pages))
            continue;
        word_put(out, word);
        if (is_option && takes_value(word))
            word_put(out, view_word(&command));
        of_numactl = is_option || view_ends(word, "numactl");
    }
}

/* "Benchmark 1: CMD", "$ time CMD", "Performance counter stats for 'CMD':"; length 0: it begins no run. */
static struct view command_of(struct view line)
{
    static const char benchmark[] = "Benchmark ", stat[] = "Performance counter stats for '";
    line = view_trim(line);
    if (view_starts(line, "$ "))
        line = view_trim(view_skip(line, 2));
    if (view_starts(line, "time "))
        return view_trim(view_skip(line, strlen("time ")));
    if (view_starts(line, stat)) {
        line = view_skip(line, sizeof(stat) - 1);
        ptrdiff_t end = view_find(line, "'");
        return (struct view){line.text, end < 0 ? 0 : (size_t)end};
    }
    if (!view_starts(line, benchmark) || view_find(line, ": ") < 0)
        return (struct view){0};
    return view_trim(view_skip(line, (size_t)view_find(line, ": ") + 2));
}

/* "real 0m4.02s", "  Time (mean ± σ):  4.021 s ± …", "4.02 seconds time elapsed"; 0: it tells none. */
static double time_of(struct view line)
{
    struct view rest = view_trim(line), word = view_word(&rest);
    double minutes, seconds;
    if (view_equal(word, "real")) {
        struct view value = view_word(&rest), before = view_cut(&value, 'm');
        bool read = view_ends(value, "s") && view_decimal(before, &minutes) &&
                    view_decimal((struct view){value.text, value.length - 1}, &seconds);
        return read ? 60 * minutes + seconds : 0;
    }
    if (view_equal(word, "Time") && view_starts(view_trim(rest), "(")) {
        (void)view_cut(&rest, ':');
        bool read = view_decimal(view_word(&rest), &seconds);
        struct view unit = view_word(&rest);
        return !read ? 0 : view_equal(unit, "ms") ? seconds / 1e3 : view_equal(unit, "s") ? seconds : 0;
    }
    return view_starts(view_trim(rest), "seconds time elapsed") && view_decimal(word, &seconds) ? seconds : 0;
}

/* The node that has nearly all memory by numastat -p; NODE_NONE: it isn't told, or told in two ways. */
static int fullest_node(struct view text)
{
    static const double NEARLY_ALL = 0.75;
    struct view line;
    int found = NODE_NONE;
    bool in_table = false, differs = false;
    while (view_line(&text, &line)) {
        struct view rest = line, word = view_word(&rest);
        if (view_equal(word, "Node") && view_find(line, "Total") > 0)
            in_table = true;
        if (!in_table || !view_equal(word, "Total"))
            continue;
        double value, most = 0, sum = 0, last = 0;
        int nodes = 0, fullest = NODE_NONE;
        for (; (word = view_word(&rest)).length && view_grouped(word, &value) && nodes < 1024; nodes++) {
            sum += last;
            fullest = last > most ? nodes - 1 : fullest;
            most = last > most ? last : most;
            last = value;
        }
        in_table = false;
        if (nodes < 3 || !(most >= NEARLY_ALL * sum) || fullest == NODE_NONE)
            continue;
        differs |= found != NODE_NONE && found != fullest;
        found = fullest;
    }
    return differs ? NODE_NONE : found;
}

struct runs {
    struct run items[RUNS_MOST];
    struct text rest[RUNS_MOST];
    size_t count;
};

static void runs_read(struct view text, struct runs *runs)
{
    enum { LINES_MOST = 24 };
    struct view line, command = {0};
    for (size_t lines = 0; view_line(&text, &line) && runs->count < RUNS_MOST; lines++) {
        struct view begins = command_of(line);
        double seconds = time_of(line);
        if (begins.length) {
            command = begins;
            lines = 0;
        } else if (seconds > 0 && command.length && lines <= LINES_MOST) {
            struct run *run = &runs->items[runs->count];
            run->command = command;
            run->seconds = seconds;
            command_read(command, run, &runs->rest[runs->count++]);
            command.length = 0;
        }
    }
}

static bool is_same_otherwise(const struct runs *runs, size_t one, size_t other)
{
    return views_equal_caseless(text_view(&runs->rest[one]), text_view(&runs->rest[other]));
}

/* Its memory is on the node of its CPUs: 1, on another: 0, or it isn't told: -1. */
static int is_near(const struct run *run, int fullest)
{
    int memory = run->memory_node != NODE_NONE ? run->memory_node : fullest;
    return run->cpu_node == NODE_NONE || memory == NODE_NONE ? -1 : run->cpu_node == memory;
}

/* numastat's word alone rules nothing out: what the program has itself may be near in both. */
static void nodes_put(struct text *out, const struct runs *runs, int fullest)
{
    static const double DIFFERS = 0.97;
    for (size_t near = 0; near < runs->count; near++)
        for (size_t far = 0; far < runs->count; far++) {
            const struct run *one = &runs->items[near], *other = &runs->items[far];
            bool is_told = one->memory_node != NODE_NONE && other->memory_node != NODE_NONE;
            if (is_near(one, fullest) != 1 || is_near(other, fullest) != 0 || !is_same_otherwise(runs, near, far) ||
                (!is_told && one->seconds >= DIFFERS * other->seconds))
                continue;
            text_printf(out,
                        "Timed runs: with its memory on the same node (node %d) it took %.4f s instead of %.4f s.\n",
                        one->cpu_node, one->seconds, other->seconds);
            return;
        }
}

static void tunables_put(struct text *out, const struct runs *runs)
{
    for (size_t huge = 0; huge < runs->count; huge++)
        for (size_t small = 0; small < runs->count; small++) {
            if (runs->items[huge].pages != PAGES_HUGE || runs->items[small].pages == PAGES_HUGE ||
                !is_same_otherwise(runs, huge, small) || runs->items[huge].cpu_node != runs->items[small].cpu_node ||
                runs->items[huge].memory_node != runs->items[small].memory_node)
                continue;
            text_printf(out, "Timed runs: with huge pages it took %.4f s instead of %.4f s.\n",
                        runs->items[huge].seconds, runs->items[small].seconds);
            return;
        }
}

/* ---- a pair of runs under the words that name a change ---- */

static bool has_word_caseless(struct view text, struct view word)
{
    for (size_t at = 0, end; at < text.length; at = end + 1) {
        for (end = at; end < text.length && isalnum((unsigned char)text.text[end]);)
            end++;
        if (views_equal_caseless((struct view){text.text + at, end - at}, word))
            return true;
    }
    return false;
}

/* Words of a command that the other one hasn't, and the sentence has: "native" of "./imgscale.native". */
static bool is_named_in(struct view command, struct view other, struct view sentence)
{
    enum { LEAST = 2 };
    for (size_t at = 0, end; at < command.length; at = end + 1) {
        for (end = at; end < command.length && isalnum((unsigned char)command.text[end]);)
            end++;
        struct view word = {command.text + at, end - at};
        if (word.length >= LEAST && !has_word_caseless(other, word) && has_word_caseless(sentence, word))
            return true;
    }
    return false;
}

/* What is told last on a line, without its colon: "Same source with -O3 -march=native". */
static struct view announced_by(struct view line)
{
    line = view_trim(line);
    if (!view_ends(line, ":") || view_starts(line, "$") || view_starts(line, "#") || command_of(line).length)
        return (struct view){0};
    line.length--;
    for (ptrdiff_t end; (end = view_find(line, ". ")) >= 0;)
        line = view_skip(line, (size_t)end + 2);
    return view_find(line, " ") > 0 ? line : (struct view){0};
}

/* Up to the next line that announces something; it begins with a run but for blank lines and the rule of a block. */
static struct view announced_runs(struct view rest)
{
    struct view line, behind = rest;
    bool has_begun = false;
    size_t length = 0;
    while (view_line(&behind, &line) && !announced_by(line).length) {
        bool is_blank = !view_trim(line).length || view_starts(line, "```");
        if (!has_begun && !is_blank && !command_of(line).length)
            return (struct view){0};
        has_begun |= !is_blank;
        length = (size_t)(behind.text - rest.text);
    }
    return (struct view){rest.text, length};
}

static void announced_put(struct text *out, struct view text, struct runs *runs)
{
    struct view line;
    while (view_line(&text, &line)) {
        struct view told = announced_by(line), segment = told.length ? announced_runs(text) : (struct view){0};
        if (!segment.length)
            continue;
        runs->count = 0;
        runs_read(segment, runs);
        if (runs->count != 2)
            continue;
        const struct run *first = &runs->items[0], *last = &runs->items[1];
        bool of_first = is_named_in(first->command, last->command, told),
             of_last = is_named_in(last->command, first->command, told);
        if (of_first == of_last)
            continue;
        text_printf(out, "Timed runs: %.*s: it took %.4f s instead of %.4f s.\n", (int)told.length, told.text,
                    (of_last ? last : first)->seconds, (of_last ? first : last)->seconds);
    }
}

struct view import_labelled_turned(struct view text, struct arena *arena, struct view *ret_sentences)
{
    scoped_text struct text out = {0}, kept = {0};
    struct runs *runs = arena_array(arena, struct runs, 1);
    *runs = (struct runs){.count = 0};
    bool taken = tables_put(&out, text, arena, &kept);
    runs_read(text, runs);
    nodes_put(&out, runs, fullest_node(text));
    tunables_put(&out, runs);
    announced_put(&out, text, runs);
    for (size_t at = 0; at < RUNS_MOST; at++)
        text_done(&runs->rest[at]);
    *ret_sentences =
        out.length ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : (struct view){0};
    return taken ? (struct view){arena_copy(arena, kept.bytes, kept.length), kept.length} : text;
}
