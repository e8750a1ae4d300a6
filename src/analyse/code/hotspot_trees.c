/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call trees below the rows of a report. */
#include "analyse/code/hotspots_internal.h"

#include "base/arena.h"

#include <string.h>

/* Numbers of paths, or of nodes, row by row: those of a row stand in items from starts[row] to starts[row + 1]. */
struct by_row {
    vec(uint32_t) rows, numbers; /* as they came */
    uint32_t *items;
    size_t *starts;
};

static void by_row_add(struct by_row *by_row, uint32_t row, uint32_t number)
{
    *vec_push(&by_row->rows) = row;
    *vec_push(&by_row->numbers) = number;
}

static void by_row_sort(struct by_row *by_row, size_t row_count)
{
    size_t *starts = by_row->starts = memory_alloc(memory_product(row_count + 1, sizeof(*starts)));
    memset(starts, 0, (row_count + 1) * sizeof(*starts));
    by_row->items = memory_alloc(memory_product(by_row->rows.count, sizeof(uint32_t)));
    vec_for_each (&by_row->rows, row)
        starts[*row + 1]++;
    for (size_t row = 0; row < row_count; row++)
        starts[row + 1] += starts[row];
    for (size_t at = 0; at < by_row->rows.count; at++)
        by_row->items[starts[by_row->rows.items[at]]++] = by_row->numbers.items[at];
    /* each start has moved to its row's end */
    memmove(starts + 1, starts, row_count * sizeof(*starts));
    starts[0] = 0;
}

static void by_row_done(struct by_row *by_row)
{
    vec_done(&by_row->rows);
    vec_done(&by_row->numbers);
    free(by_row->items);
    free(by_row->starts);
}

/* What the trees are made from. */
struct growing {
    struct building *building;
    struct by_row own, through; /* paths whose samples are the row's; nodes that are the first of their row on their way */
    vec(struct call_part) parts;
};

static uint64_t period_floor(double share, uint64_t total)
{
    double least = share * (double)total;
    return least <= 0 ? 0 : (uint64_t)least;
}

static uint64_t row_weight(const struct building *building, const struct hotspot *row)
{
    return building->options->children ? row->children_period : row->period;
}

/* A row's own samples bring their whole stack. */
static void parts_of_own(struct growing *growing, size_t row)
{
    struct building *building = growing->building;
    for (size_t at = growing->own.starts[row]; at < growing->own.starts[row + 1]; at++) {
        uint32_t number = growing->own.items[at];
        const struct path *path = &building->paths.items[number];
        call_trie_mark(&building->trie, path->end, number, path->period, path->samples);
    }
    if (growing->own.starts[row] == growing->own.starts[row + 1])
        return;
    /* Without branches, which have no trees, the paths of a row are of one kind. */
    uint32_t root = building->paths.items[growing->own.items[growing->own.starts[row]]].root;
    uint32_t child = building->trie.nodes.items[root].first_child;
    for (; child != CALL_NODE_NONE; child = building->trie.nodes.items[child].next_sibling)
        *vec_push(&growing->parts) = (struct call_part){child, .marked = true};
}

/*
 * Samples that the row is an ancestor of bring the part from the row on: down to the leaf when callers come first, up to
 * the root otherwise.
 */
static void parts_of_others(struct growing *growing, size_t row)
{
    for (size_t at = growing->through.starts[row]; at < growing->through.starts[row + 1]; at++)
        *vec_push(&growing->parts) = (struct call_part){growing->through.items[at], .marked = false};
}

static void tree_build(struct growing *growing, size_t index)
{
    struct building *building = growing->building;
    struct hotspot *row = &building->hotspots->items[index];
    const struct hotspots_options *options = building->options;
    uint64_t whole = options->tree_relative ? row_weight(building, row) : building->hotspots->total_period;
    row->tree_least = period_floor(options->tree_share_least, whole);
    struct call_tree_limits limits = {.weight_least = options->tree_relative ? 0 : row->tree_least,
                                      .share_least = options->tree_relative ? options->tree_share_least : 0};
    growing->parts.count = 0;
    parts_of_own(growing, index);
    parts_of_others(growing, index);
    call_tree_build(row->tree, &building->trie, growing->parts.items, growing->parts.count, building->places->count, &limits);
    call_trie_unmark(&building->trie);
}

/* Below the limit every branch would be left out. */
static void trees_choose(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    uint64_t least = period_floor(building->options->tree_share_least, hotspots->total_period);
    vec_for_each (hotspots, row)
        if (building->options->tree_relative || row_weight(building, row) >= least)
            row->tree = memory_alloc(sizeof(*row->tree));
}

void hotspot_trees_build(struct building *building)
{
    const struct hotspots *hotspots = building->hotspots;
    struct growing growing = {.building = building};
    trees_choose(building);
    for (uint32_t at = 0; at < building->paths.count; at++) {
        const struct path *path = &building->paths.items[at];
        if (path->end != path->root && hotspots->items[path->own_row].tree)
            by_row_add(&growing.own, path->own_row, at);
    }
    for (uint32_t at = 0; at < building->trie.nodes.count; at++) {
        uint32_t row = building->trie.nodes.items[at].row;
        if (row != CALL_NODE_NONE && hotspots->items[row].tree && row_first_in(building, at, row) == at)
            by_row_add(&growing.through, row, at);
    }
    by_row_sort(&growing.own, hotspots->count);
    by_row_sort(&growing.through, hotspots->count);
    for (size_t at = 0; at < hotspots->count; at++)
        if (hotspots->items[at].tree)
            tree_build(&growing, at);
    by_row_done(&growing.own);
    by_row_done(&growing.through);
    vec_done(&growing.parts);
}
