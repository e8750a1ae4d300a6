/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/tools/import_likwid.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/import/import_cells.h"
#include "source/import/import_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Where perf's name isn't likwid's with small letters. */
static const struct {
    const char *printed, *name;
} event_names[] = {
    {"INSTR_RETIRED_ANY", "instructions"},
    {"RETIRED_INSTRUCTIONS", "instructions"},
    {"INST_RETIRED", "instructions"},
    {"CPU_CLK_UNHALTED_CORE", "cycles"},
    {"CPU_CLOCKS_UNHALTED", "cycles"},
    {"CPU_CYCLES", "cycles"},
    {"CPU_CLK_UNHALTED_REF", "ref-cycles"},
    {"BR_INST_RETIRED_ALL_BRANCHES", "branches"},
    {"RETIRED_BRANCH_INSTR", "branches"},
    {"BR_MISP_RETIRED_ALL_BRANCHES", "branch-misses"},
    {"RETIRED_MISP_BRANCH_INSTR", "branch-misses"},
    {"DTLB_LOAD_MISSES_WALK_DURATION", "dtlb_load_misses.walk_duration"},
    {"DTLB_LOAD_MISSES_WALK_ACTIVE", "dtlb_load_misses.walk_active"},
    {"ARITH_DIVIDER_ACTIVE", "arith.divider_active"},
    {"MACHINE_CLEARS_COUNT", "machine_clears.count"},
    {"LD_BLOCKS_STORE_FORWARD", "ld_blocks.store_forward"},
    {"LD_BLOCKS_PARTIAL_ADDRESS_ALIAS", "ld_blocks_partial.address_alias"},
    {"MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM", "mem_load_l3_miss_retired.remote_dram"},
};

static const struct {
    const char *printed, *name;
} classes[] = {
    {"Front End [%]", "tma_frontend_bound"},
    {"Speculation [%]", "tma_bad_speculation"},
    {"Retiring [%]", "tma_retiring"},
    {"Back End [%]", "tma_backend_bound"},
};

/* "| a | b |" or "a,b,,"; empty ones at the end are none. */
static void cells_of(struct view line, struct cells *ret_cells)
{
    cells_at(line, view_starts(view_trim(line), "|") ? '|' : ',', ret_cells);
    while (ret_cells->count && !ret_cells->items[ret_cells->count - 1].length)
        ret_cells->count--;
}

static bool is_thread(struct view cell)
{
    return view_starts(cell, "HWThread ") || view_starts(cell, "Core ");
}

enum part { PART_NONE, PART_EVENTS, PART_METRICS, PART_OTHER };

/* "Event, Counter, HWThread 0, …": of each hardware thread; with "Sum" of all: they are told by these. */
static enum part part_of(const struct cells *cells)
{
    bool events = cells->count > 2 && view_equal(cells->items[0], "Event") && view_equal(cells->items[1], "Counter");
    bool metrics = cells->count > 1 && view_equal(cells->items[0], "Metric");
    bool region = cells->count > 1 && view_equal(cells->items[0], "Region Info");
    if (!events && !metrics && !region)
        return PART_NONE;
    if (region || !is_thread(cells->items[events ? 2 : 1]))
        return PART_OTHER;
    return events ? PART_EVENTS : PART_METRICS;
}

static bool value_of(struct view cell, double *ret_value)
{
    return view_double(cell, ret_value) && isfinite(*ret_value) && *ret_value >= 0;
}

/* The sum of a row, or its mean by weight; false: no cell has a number. */
static bool row_value(const struct cells *cells, size_t from, const double *weights, double *ret_value)
{
    double sum = 0, weight = 0, value;
    size_t known = 0;
    for (size_t at = from; at < cells->count; at++) {
        if (!value_of(cells->items[at], &value))
            continue;
        double own = weights ? weights[at] : 1;
        sum += own * value;
        weight += own;
        known++;
    }
    if (!known || (weights && !(weight > 0)))
        return false;
    *ret_value = weights ? sum / weight : sum;
    return isfinite(*ret_value);
}

static void event_put(struct text *out, struct view printed, double count)
{
    scoped_text struct text name = {0};
    for (size_t at = 0; at < printed.length; at++)
        text_add_char(&name, (char)tolower((unsigned char)printed.text[at]));
    const char *known = text_string(&name);
    for (size_t at = 0; at < array_count(event_names); at++)
        if (view_equal(printed, event_names[at].printed))
            known = event_names[at].name;
    text_printf(out, "%.15g %s\n", count, known);
}

/* False: the row is of another table. */
static bool event_row_put(struct text *out, const struct cells *cells)
{
    double count;
    if (cells->count < 3 || !cells->items[0].length)
        return false;
    for (size_t at = 0; at < cells->items[0].length; at++)
        if (!isalnum((unsigned char)cells->items[0].text[at]) && cells->items[0].text[at] != '_')
            return view_starts(cells->items[0], "Runtime (RDTSC)");
    if (row_value(cells, 2, NULL, &count))
        event_put(out, cells->items[0], count);
    return true;
}

/* "Memory bandwidth [MBytes/s]", of all: a socket's thread has all of it, and the others nothing. */
static bool is_memory_rate(struct view name)
{
    static const char rate[] = "Memory bandwidth [MBytes/s]";
    return view_equal(name, rate) || (view_starts(name, rate) && view_ends(name, " STAT"));
}

struct metrics {
    bool has_rate;     /* of this group */
    double weights[CELLS_MOST]; /* how long each thread ran, by column */
    bool weighted;
    double mhz, cpi, scalar,
        packed; /* of its first thread; the latter in million operations a second; negative: not told */
};

/* Scalar operations for each instruction, by the rates of one group. */
static void scalar_put(struct text *out, struct metrics *metrics, struct view name, double value)
{
    const struct {
        const char *name;
        double *value;
    } rows[] = {{"Clock [MHz]", &metrics->mhz},
                {"CPI", &metrics->cpi},
                {"Scalar [MUOPS/s]", &metrics->scalar},
                {"Packed [MUOPS/s]", &metrics->packed}};
    for (size_t at = 0; at < array_count(rows); at++)
        if (view_equal(name, rows[at].name))
            *rows[at].value = value;
    if (!(metrics->mhz > 0) || !(metrics->cpi > 0) || metrics->scalar < 0 || metrics->packed < 0)
        return;
    text_printf(out, "\n%sshare=%.6g,scalar=%.6g,packed=%.6g\n\n", IMPORT_SCALAR_RATE,
                metrics->scalar * metrics->cpi / metrics->mhz, metrics->scalar, metrics->packed);
    metrics->scalar = metrics->packed = -1;
}

/* Of each thread, or of all in the first column ("Sum"). */
static void rate_put(struct text *out, struct metrics *metrics, const struct cells *cells)
{
    double value;
    bool of_all = cells->count > 1 && view_ends(cells->items[0], " STAT");
    if (metrics->has_rate || cells->count < 2 || !is_memory_rate(cells->items[0]) ||
        !(of_all ? value_of(cells->items[1], &value) : row_value(cells, 1, NULL, &value)) || !(value > 0))
        return;
    metrics->has_rate = true;
    text_printf(out, "%s%.9g\n", IMPORT_MEMORY_RATE, value);
}

static bool metric_row_put(struct text *out, struct metrics *metrics, const struct cells *cells)
{
    double value;
    if (cells->count < 2 || !cells->items[0].length)
        return false;
    struct view name = cells->items[0];
    if (view_equal(name, "Runtime (RDTSC) [s]") && value_of(cells->items[1], &value) && value > 0)
        text_printf(out, "%.9g seconds time elapsed\n", value);
    if (view_equal(name, "Runtime unhalted [s]"))
        for (size_t at = 1; at < cells->count; at++) {
            metrics->weights[at] = value_of(cells->items[at], &value) ? value : 0;
            metrics->weighted = true;
        }
    rate_put(out, metrics, cells);
    if (value_of(cells->items[1], &value))
        scalar_put(out, metrics, name, value);
    for (size_t at = 0; at < array_count(classes); at++)
        if (view_equal(name, classes[at].printed) &&
            row_value(cells, 1, metrics->weighted ? metrics->weights : NULL, &value)) {
            value /= metrics->weighted ? 1 : (double)(cells->count - 1);
            if (value <= 100)
                text_printf(out, "%.4g %% %s\n", value, classes[at].name);
        }
    return true;
}

static bool is_border(struct view line)
{
    line = view_trim(line);
    for (size_t at = 0; at < line.length; at++)
        if (line.text[at] != '-' && line.text[at] != '+')
            return false;
    return line.length > 0;
}

/* "Group 1: MEM", "Region triad, Group 1: MEM", "TABLE,Group 1 Raw,MEM,5", "TABLE,Region triad,Group 1 Raw,…" */
static bool is_title(struct view line)
{
    bool group = view_find(line, "Group ") >= 0;
    return group && (view_starts(line, "TABLE,") ||
                     ((view_starts(line, "Group ") || view_starts(line, "Region ")) && view_find(line, ": ") > 0));
}

/* "CPU clock:  2.49 GHz", above its groups. */
static bool is_of_machine(struct view line)
{
    return view_starts(line, "CPU name:") || view_starts(line, "CPU type:") || view_starts(line, "CPU clock:") ||
           view_starts(line, "STRUCT,Info,");
}

/* A region is a run of its own. */
static void title_put(struct text *out, struct view line)
{
    ptrdiff_t region = view_find(line, "Region ");
    bool first = !view_starts(line, "TABLE,") || view_find(line, " Raw,") > 0;
    if (region < 0 || !first)
        return;
    struct view name = view_skip(line, (size_t)region);
    name = view_cut(&name, ',');
    text_add(out, "\nlikwid counted ");
    text_append(out, name.text, name.length);
    text_add(out, ":\n\n");
}

static bool has_tables(struct view text)
{
    return view_find(text, "likwid") >= 0 || view_find(text, "LIKWID") >= 0 || view_find(text, "HWThread ") >= 0 ||
           view_find(text, "| Counter |") >= 0;
}

struct view import_likwid_turned(struct view text, struct arena *arena)
{
    struct view line, rest = text;
    scoped_text struct text out = {0};
    enum part part = PART_NONE;
    bool turned = false;
    if (!has_tables(text))
        return text;
    struct cells *cells = arena_array(arena, struct cells, 1);
    struct metrics *metrics = arena_array(arena, struct metrics, 1);
    while (view_line(&rest, &line)) {
        if (is_title(line)) {
            title_put(&out, line);
            metrics->has_rate = false;
            part = PART_NONE;
            turned = true;
            continue;
        }
        if (is_of_machine(line)) {
            turned = true;
            continue;
        }
        cells_of(line, cells);
        enum part begins = part_of(cells);
        if (begins != PART_NONE) {
            part = begins;
            metrics->weighted = false;
            metrics->mhz = metrics->cpi = metrics->scalar = metrics->packed = -1;
            turned = true;
            continue;
        }
        if (part != PART_NONE && is_border(line))
            continue;
        if (part == PART_OTHER)
            rate_put(&out, metrics, cells);
        bool read = (part == PART_EVENTS && event_row_put(&out, cells)) ||
                    (part == PART_METRICS && metric_row_put(&out, metrics, cells)) ||
                    (part == PART_OTHER && cells->count > 1);
        if (read)
            continue;
        part = view_trim(line).length ? PART_NONE : part;
        text_append(&out, line.text, line.length);
        text_add_char(&out, '\n');
    }
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
