/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows are shown, with which shares, in which order? */
#include "analyse/profile/hotspots_internal.h"

#include "base/arena.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

bool hotspot_name_listed(const char *list, const char *name)
{
    if (!list)
        return true;
    struct view rest = view_of(list);
    while (rest.length)
        if (view_equal(view_cut(&rest, ','), name ? name : ""))
            return true;
    return false;
}

static bool dso_passes(const struct building *building, uint32_t place)
{
    return place == PLACE_NONE || hotspot_name_listed(building->options->dsos, building->places->items[place].dso);
}

bool hotspot_symbol_listed(const char *list, const char *symbol)
{
    if (hotspot_name_listed(list, symbol))
        return true;
    const char *version = symbol ? strchr(symbol, '@') : NULL;
    if (!version)
        return false;
    char *bare = memory_printf("%.*s", (int)(version - symbol), symbol);
    bool passes = hotspot_name_listed(list, bare);
    free(bare);
    return passes;
}

static bool symbol_passes(const struct building *building, uint32_t id)
{
    const struct hotspots_options *options = building->options;
    const char *symbol = id == PLACE_NONE ? NULL : building->places->items[id].symbol;
    return id == PLACE_NONE || (hotspot_symbol_listed(options->symbols, symbol) &&
                                (!options->symbol_part || (symbol && strstr(symbol, options->symbol_part))));
}

/* A branch passes with its target or with where it began. */
static bool row_passes(const struct building *building, const struct hotspot *row)
{
    const struct hotspots_options *options = building->options;
    bool from = row->from != PLACE_NONE;
    return hotspot_name_listed(options->comms, row->comm) &&
           (dso_passes(building, row->place) || (from && dso_passes(building, row->from))) &&
           (symbol_passes(building, row->place) || (from && symbol_passes(building, row->from)));
}

void hotspot_release(struct hotspot *row)
{
    if (row->tree) {
        call_tree_done(row->tree);
        free(row->tree);
        row->tree = NULL;
    }
}

static void rows_filter(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    size_t kept = 0;
    uint64_t period = 0, samples = 0;
    struct hotspot_counts *totals = hotspots->other_totals;
    for (uint32_t other = 0; building->options->relative && other < hotspots->other_count; other++)
        totals[other] = (struct hotspot_counts){0};
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        if (!row_passes(building, row)) {
            hotspot_release(row);
            continue;
        }
        period += row->period;
        samples += row->samples;
        for (uint32_t other = 0; building->options->relative && other < hotspots->other_count; other++) {
            totals[other].period += hotspots->others[row->others + other].period;
            totals[other].samples += hotspots->others[row->others + other].samples;
        }
        hotspots->items[kept++] = *row;
    }
    hotspots->count = kept;
    if (building->options->relative) {
        hotspots->total_period = period;
        hotspots->total_samples = samples;
    }
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void rows_share(struct hotspots *hotspots)
{
    double samples = (double)hotspots->total_samples;
    for (size_t at = 0; at < hotspots->count; at++) {
        struct hotspot *row = &hotspots->items[at];
        row->share = share_of(row->period, hotspots->total_period);
        row->children_share = share_of(row->children_period, hotspots->total_period);
        row->share_interval = wilson_interval(row->share * samples, samples, samples);
        for (uint32_t other = 0; other < hotspots->other_count; other++) {
            struct hotspot_counts *counts = &hotspots->others[row->others + other];
            counts->share = share_of(counts->period, hotspots->other_totals[other].period);
            counts->children_share = share_of(counts->children_period, hotspots->other_totals[other].period);
        }
    }
}

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int u64_descending(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int symbol_order(const char *a, uint64_t a_addr, const char *b, uint64_t b_addr)
{
    if (a && b)
        return strcmp(a, b);
    if (a || b)
        return a ? -1 : 1; /* names stand before bare addresses */
    return -u64_descending(a_addr, b_addr);
}

/* Among equal shares the one whose tree is told from further away comes first: callers, or callees. */
static int children_order(const struct hotspot *a, const struct hotspot *b, const struct hotspots_options *options)
{
    int order = u64_descending(a->children_period, b->children_period);
    if (!order && options->trees && a->thread == b->thread)
        order = u64_descending(a->stack_depth_most, b->stack_depth_most) * (options->callers_first ? 1 : -1);
    return order;
}

/* By the first event's number, then by the second's, and so on. */
static int number_order(enum hotspot_column column, const struct hotspot *a, const struct hotspot *b,
                        const struct hotspots *hotspots)
{
    int order = 0;
    for (uint32_t member = 0; !order && member <= hotspots->other_count; member++) {
        struct hotspot_counts left = hotspot_counts_of(hotspots, a, member);
        struct hotspot_counts right = hotspot_counts_of(hotspots, b, member);
        order = column == COLUMN_CHILDREN  ? u64_descending(left.children_period, right.children_period)
                : column == COLUMN_SAMPLES ? u64_descending(left.samples, right.samples)
                                           : u64_descending(left.period, right.period);
    }
    return order;
}

/* By what the column shows of two places of branches. */
static int place_order(enum hotspot_column column, const struct places *places, uint32_t a, uint32_t b)
{
    if (a == PLACE_NONE || b == PLACE_NONE)
        return (a == PLACE_NONE) - (b == PLACE_NONE);
    const struct place *left = &places->items[a], *right = &places->items[b];
    if (column == COLUMN_DSO_FROM || column == COLUMN_DSO_TO)
        return text_order(left->dso, right->dso);
    if (column == COLUMN_LINE_FROM || column == COLUMN_LINE_TO)
        return text_order(left->line, right->line);
    return symbol_order(left->symbol, left->addr, right->symbol, right->addr);
}

static int column_order(enum hotspot_column column, const struct hotspot *a, const struct hotspot *b,
                        const struct building *building)
{
    int order;
    if (column >= COLUMN_TRAIT)
        return sample_traits_order(building->options->traits, a->traits, b->traits, column - COLUMN_TRAIT);
    switch (column) {
    case COLUMN_CHILDREN:
        order = children_order(a, b, building->options);
        return order ? order : number_order(column, a, b, building->hotspots);
    case COLUMN_OVERHEAD:
    case COLUMN_PERIOD:
    case COLUMN_SAMPLES:
        return number_order(column, a, b, building->hotspots);
    case COLUMN_COMM:
        return text_order(a->comm, b->comm);
    case COLUMN_PID:
        return -u64_descending(a->pid, b->pid);
    case COLUMN_TID:
        return -u64_descending(a->tid, b->tid);
    case COLUMN_DSO:
        return text_order(a->dso, b->dso);
    case COLUMN_SYMBOL:
        return symbol_order(a->symbol, a->addr, b->symbol, b->addr);
    case COLUMN_LINE:
        return text_order(a->line, b->line);
    case COLUMN_CPU:
        return -u64_descending(a->cpu, b->cpu);
    case COLUMN_DSO_FROM:
    case COLUMN_SYMBOL_FROM:
    case COLUMN_LINE_FROM:
        return place_order(column, building->places, a->from, b->from);
    case COLUMN_DSO_TO:
    case COLUMN_SYMBOL_TO:
    case COLUMN_LINE_TO:
        return place_order(column, building->places, a->place, b->place);
    case COLUMN_IN_TRANSACTION:
    case COLUMN_ABORT:
        return -u64_descending(a->branch_marks, b->branch_marks);
    case COLUMN_MISPREDICTED:
        return -u64_descending(a->branch_outcome, b->branch_outcome);
    case COLUMN_BRANCH_CYCLES:
        return -u64_descending(a->branch_cycles, b->branch_cycles);
    case COLUMN_TRAIT:
    case COLUMN_COUNT:
        break;
    }
    return 0;
}

static int row_order(const void *left, const void *right, void *context)
{
    const struct hotspot *a = left, *b = right;
    const struct building *building = context;
    const struct hotspots_options *options = building->options;
    int order = 0;
    for (size_t at = 0; !order && at < options->order_count; at++)
        order = column_order(options->order[at], a, b, building);
    /* What the columns don't tell apart still has one order. */
    order = order ? order : u64_descending(a->period, b->period);
    order = order ? order : -u64_descending(a->addr, b->addr);
    return order ? order : -u64_descending(a->tid, b->tid);
}

static void rows_sort(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    if (hotspots->count)
        qsort_r(hotspots->items, hotspots->count, sizeof(*hotspots->items), row_order, building);
}

void hotspot_rows_finish(struct building *building)
{
    rows_filter(building);
    rows_share(building->hotspots);
    rows_sort(building);
}
