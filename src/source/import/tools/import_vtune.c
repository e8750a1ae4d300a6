/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_vtune.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_text.h"

#include <ctype.h>

/* ---- metrics ---- */

/* Where the name isn't the published one with other letters. */
static const struct {
    const char *printed, *published;
} names[] = {
    {"front_end_bound", "frontend_bound"},         {"back_end_bound", "backend_bound"},
    {"front_end_latency", "fetch_latency"},        {"front_end_bandwidth", "fetch_bandwidth"},
    {"memory_bandwidth", "mem_bandwidth"},         {"memory_latency", "mem_latency"},
    {"branch_mispredict", "branch_mispredicts"},   {"local_dram", "local_mem"},
    {"remote_dram", "remote_mem"},                 {"dtlb_overhead", "dtlb_load"},
    {"dtlb_store_overhead", "dtlb_store"},         {"port_utilization", "ports_utilization"},
    {"loads_blocked_by_store_forwarding", "store_fwd_blk"},
    {"itlb_overhead", "itlb_misses"},              {"length_changing_prefixes", "lcp"},
    {"front_end_bandwidth_mite", "mite"},          {"front_end_bandwidth_dsb", "dsb"},
    {"cycles_of_0_ports_utilized", "ports_utilized_0"},
    {"cycles_of_1_port_utilized", "ports_utilized_1"},
    {"cycles_of_2_ports_utilized", "ports_utilized_2"},
    {"cycles_of_3__ports_utilized", "ports_utilized_3m"},
    {"l3_latency", "l3_hit_latency"},              {"persistent_memory_bound", "pmm_bound"},
    {"pmem_bound", "pmm_bound"},                   {"retiring_base", "base"},
};

/* "Front-End Bound" -> "frontend_bound" */
static void name_put(struct text *out, struct view printed)
{
    scoped_text struct text name = {0};
    for (size_t at = 0; at < printed.length; at++)
        text_add_char(&name,
                      isalnum((unsigned char)printed.text[at]) ? (char)tolower((unsigned char)printed.text[at]) : '_');
    const char *published = text_string(&name);
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(published, names[at].printed) == 0)
            published = names[at].published;
    text_printf(out, "tma_%s", published);
}

/* ---- what threads spin for ---- */

/* Seconds of all threads; negative: not told. */
struct spin {
    double all_s, imbalance_s, locks_s;
};

static void spin_note(struct spin *spin, struct view name, struct view value)
{
    double seconds;
    value.length -= view_ends(value, "s");
    if (!view_decimal(value, &seconds))
        return;
    if (view_equal(name, "CPU Time"))
        spin->all_s = seconds;
    else if (view_equal(name, "Imbalance or Serial Spinning"))
        spin->imbalance_s = seconds;
    else if (view_equal(name, "Lock Contention"))
        spin->locks_s = seconds;
}

/* "Imbalance or Serial Spinning: 318.442s", of the summary as text */
static void spin_line(struct spin *spin, struct view line)
{
    struct view rest = view_trim(line), name = view_cut(&rest, ':'), value = view_word(&rest);
    if (view_ends(value, "s"))
        spin_note(spin, name, value);
}

static bool spin_put(struct text *out, const struct spin *spin)
{
    bool is_told = spin->all_s > 0 && spin->imbalance_s >= 0;
    if (is_told)
        text_printf(out, "\n" IMPORT_SPIN_TIME "imbalance=%.6g,locks=%.6g,of=%.6g\n", spin->imbalance_s,
                    spin->locks_s >= 0 ? spin->locks_s : 0, spin->all_s);
    return is_told;
}

/* ---- -format csv: "1,Front-End Bound,4.3" under "Hierarchy Level,Metric Name,Metric Value" ---- */

/* VTune's own report parts by tabs or commas, as it was asked to. */
static bool is_csv_heading(struct view line, char *ret_separator)
{
    static const char separators[] = ",\t;";
    for (const char *one = separators; *one; one++) {
        struct view rest = line, level = view_trim(view_cut(&rest, *one)), name = view_trim(view_cut(&rest, *one));
        *ret_separator = *one;
        if (view_equal(level, "Hierarchy Level") && view_equal(name, "Metric Name"))
            return true;
    }
    return false;
}

static bool is_root(struct view name)
{
    return view_equal(name, "Front-End Bound") || view_equal(name, "Back-End Bound") ||
           view_equal(name, "Bad Speculation") || view_equal(name, "Retiring");
}

/*
 * The classes and what stands below them; the unit is told by the numbers (source/import/import_csv). Other rows are
 * those of the summary.
 */
static bool csv_put(struct text *out, struct view line, struct view *rest, struct spin *spin)
{
    char separator;
    uint64_t level, root = UINT64_MAX;
    if (!is_csv_heading(line, &separator))
        return false;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        struct view cells = line, first = view_trim(view_cut(&cells, separator)),
                    name = view_trim(view_cut(&cells, separator)), value = view_trim(view_cut(&cells, separator));
        if (!view_u64(first, 10, &level))
            break;
        spin_note(spin, name, value);
        root = is_root(name) ? level : root != UINT64_MAX && level <= root ? UINT64_MAX : root;
        if (root == UINT64_MAX || !value.length)
            continue;
        name_put(out, name);
        text_printf(out, ",%.*s\n", (int)value.length, value.text);
    }
    return true;
}

/*
 * "FP Scalar: 44.1% of uOps": a part of those that retired, which is of so many slots. Of other rows of uOps it isn't
 * sure what they are a part of.
 */
static bool arithmetic_put(struct text *out, struct view line, double retiring_ratio)
{
    static const struct {
        const char *printed, *published;
    } rows[] = {{"FP Arithmetic", "tma_fp_arith"},
                {"FP x87", "tma_x87_use"},
                {"FP Scalar", "tma_fp_scalar"},
                {"FP Vector", "tma_fp_vector"}};
    struct view rest = view_trim(line), name = view_cut(&rest, ':'), share = view_word(&rest);
    double percent;
    if (!view_starts(view_trim(rest), "of uOps") || !view_ends(share, "%"))
        return false;
    share.length--;
    if (view_equal(name, "128-bit") || view_equal(name, "256-bit") || view_equal(name, "512-bit")) /* of the vectors */
        return true;
    for (size_t at = 0; at < array_count(rows); at++)
        if (view_equal(name, rows[at].printed) && view_grouped(share, &percent) && percent >= 0 && percent <= 100 &&
            retiring_ratio > 0) {
            text_printf(out, "%.3g %% %s\n", percent * retiring_ratio, rows[at].published);
            return true;
        }
    return false;
}

/* "DRAM Bound: 58.9% of Clockticks" */
static bool metric_put(struct text *out, struct view line, double *retiring_ratio)
{
    struct view rest = view_trim(line), name = view_cut(&rest, ':'), share = view_word(&rest);
    double percent;
    rest = view_trim(rest);
    bool of_them = view_starts(rest, "of Pipeline Slots") || view_starts(rest, "of Clockticks");
    if (!of_them || !name.length || !isupper((unsigned char)name.text[0]) || !view_ends(share, "%"))
        return false;
    share.length--;
    if (!view_grouped(share, &percent) || !(percent >= 0 && percent <= 100))
        return false;
    *retiring_ratio = view_equal(name, "Retiring") ? percent / 100 : *retiring_ratio;
    text_printf(out, "%.15g %% ", percent);
    name_put(out, name);
    text_add_char(out, '\n');
    return true;
}

/* "Elapsed Time: 41.220s", as a timed run of this name. */
static bool elapsed_put(struct text *out, struct view line)
{
    static const char head[] = "Elapsed Time: ";
    struct view rest = view_trim(line);
    double seconds;
    if (!view_starts(rest, head))
        return false;
    rest = view_skip(rest, sizeof(head) - 1);
    struct view word = view_word(&rest);
    if (!view_ends(word, "s") || view_word(&rest).length ||
        !view_decimal((struct view){word.text, word.length - 1}, &seconds) || !(seconds > 0))
        return false;
    text_printf(out, "%.*s: %.6g s\n", (int)sizeof(head) - 3, head, seconds);
    return true;
}

/* ---- hot functions ---- */

enum { COLUMNS_MOST = 16 };

struct columns {
    struct view items[COLUMNS_MOST];
    size_t count;
};

/* Parted by two blanks or more. */
static void columns_of(struct view line, struct columns *columns)
{
    columns->count = 0;
    line = view_trim(line);
    while (line.length && columns->count < COLUMNS_MOST) {
        ptrdiff_t gap = view_find(line, "  ");
        size_t length = gap < 0 ? line.length : (size_t)gap;
        columns->items[columns->count++] = (struct view){line.text, length};
        line = view_trim(view_skip(line, length));
    }
}

static ptrdiff_t column_at(const struct columns *columns, const char *begins)
{
    for (size_t at = 0; at < columns->count; at++)
        if (view_starts(columns->items[at], begins))
            return (ptrdiff_t)at;
    return -1;
}

static bool is_rule(struct view line)
{
    line = view_trim(line);
    for (size_t at = 0; at < line.length; at++)
        if (line.text[at] != '-' && line.text[at] != ' ')
            return false;
    return line.length > 0;
}

/* "jit_ker  [Dynamic code]  2871.1s  88.2%": with a share of the whole. */
static bool function_put(struct text *out, const struct columns *heading, struct view line)
{
    struct columns row;
    double percent;
    ptrdiff_t share = column_at(heading, "% of CPU Time"), module = column_at(heading, "Module");
    columns_of(line, &row);
    if (share < 0 || row.count != heading->count || !view_ends(row.items[share], "%"))
        return false;
    struct view number = {row.items[share].text, row.items[share].length - 1};
    if (!view_grouped(number, &percent) || !(percent >= 0 && percent <= 100))
        return false;
    text_printf(out, "%.15g%%  ", percent);
    for (size_t at = 0; module >= 0 && at < row.items[module].length; at++) /* a report's binary is one word */
        text_add_char(out, row.items[module].text[at] == ' ' ? '_' : row.items[module].text[at]);
    text_add(out, "  [.] ");
    text_append(out, row.items[0].text, row.items[0].length);
    text_add_char(out, '\n');
    return true;
}

/* The heading of such a table and its rows; false: this line is none. */
static bool functions_put(struct text *out, struct view line, struct view *rest)
{
    struct columns heading;
    columns_of(line, &heading);
    if (heading.count < 3 || !view_equal(heading.items[0], "Function") || column_at(&heading, "% of CPU Time") < 0)
        return false;
    for (struct view after = *rest; view_line(&after, &line); *rest = after)
        if (!is_rule(line) && !function_put(out, &heading, line))
            break;
    return true;
}

struct view import_vtune_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    bool turned = false;
    double retiring_ratio = 0;
    struct spin spin = {-1, -1, -1};
    while (view_line(&rest, &line)) {
        spin_line(&spin, line);
        if (metric_put(&out, line, &retiring_ratio) || arithmetic_put(&out, line, retiring_ratio) ||
            elapsed_put(&out, line) || functions_put(&out, line, &rest) || csv_put(&out, line, &rest, &spin)) {
            turned = true;
            continue;
        }
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    turned |= spin_put(&out, &spin);
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
