/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call trees below the rows of a report. */
#include "analyse/profile/hotspots_internal.h"

#include "base/arena.h"

#include <string.h>

/* A chain for the tree of one row. */
struct row_chain {
    uint32_t row;
    uint32_t path, first; /* the path's places from there on */
};

typedef vec(struct row_chain) row_chains;

static void chain_add(struct building *building, row_chains *chains, uint32_t row, uint32_t path, size_t first)
{
    if (building->hotspots->items[row].tree)
        *vec_push(chains) = (struct row_chain){row, path, (uint32_t)first};
}

/*
 * A row's own samples bring their whole stack. Samples it is an ancestor of bring the part from the row on: down
 * to the leaf when callers come first, up to the root otherwise. Of recursive frames the first one counts.
 */
static void chains_add_path(struct building *building, row_chains *chains, uint32_t index)
{
    const struct path *path = &building->paths.items[index];
    const uint32_t *places = path_places_of(building, path);
    if (!path->count)
        return;
    building->stamps.items[path->row] = index;
    chain_add(building, chains, path->row, index, 0);
    for (size_t at = 0; building->options->children && at < path->count; at++) {
        uint32_t row = row_of(building, path, places[at]);
        if (building->stamps.items[row] == index)
            continue;
        building->stamps.items[row] = index;
        chain_add(building, chains, row, index, at);
    }
}

static uint64_t period_floor(double share, uint64_t total)
{
    double least = share * (double)total;
    return least <= 0 ? 0 : (uint64_t)least;
}

uint64_t hotspot_row_weight(const struct building *building, const struct hotspot *row)
{
    return building->options->children ? row->children_period : row->period;
}

struct call_tree_limits hotspot_tree_limits(const struct building *building, struct hotspot *row)
{
    const struct hotspots_options *options = building->options;
    uint64_t whole = options->tree_relative ? hotspot_row_weight(building, row) : building->hotspots->total_period;
    row->tree_least = period_floor(options->tree_share_least, whole);
    return (struct call_tree_limits){.weight_least = options->tree_relative ? 0 : row->tree_least,
                                     .share_least = options->tree_relative ? options->tree_share_least : 0};
}

static void tree_build(struct building *building, struct hotspot *row, const struct row_chain *of_row, size_t count)
{
    struct call_chain *chains = memory_alloc(memory_product(count, sizeof(*chains)));
    for (size_t at = 0; at < count; at++) {
        const struct path *path = &building->paths.items[of_row[at].path];
        chains[at] = (struct call_chain){.places = building->path_places.items + path->first + of_row[at].first,
                                         .count = path->count - of_row[at].first,
                                         .weight = path->period,
                                         .samples = path->samples};
    }
    struct call_tree_limits limits = hotspot_tree_limits(building, row);
    call_tree_build(row->tree, chains, count, building->places->count, &limits);
    free(chains);
}

/* Put the chains of each row next to each other: starts[row] is where its own begin. */
static struct row_chain *chains_by_row(const row_chains *chains, size_t row_count, size_t *starts)
{
    struct row_chain *sorted = memory_alloc(memory_product(chains->count, sizeof(*sorted)));
    vec_for_each (chains, chain)
        starts[chain->row + 1]++;
    for (size_t row = 0; row < row_count; row++)
        starts[row + 1] += starts[row];
    vec_for_each (chains, chain)
        sorted[starts[chain->row]++] = *chain;
    /* each start has moved to its row's end */
    memmove(starts + 1, starts, row_count * sizeof(*starts));
    starts[0] = 0;
    return sorted;
}

void hotspot_trees_begin(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    uint64_t least = period_floor(building->options->tree_share_least, hotspots->total_period);
    vec_for_each (hotspots, row)
        /* Below the limit every branch would be left out. */
        if (building->options->tree_relative || hotspot_row_weight(building, row) >= least)
            row->tree = memory_alloc(sizeof(*row->tree));
}

void hotspot_trees_build(struct building *building)
{
    struct hotspots *hotspots = building->hotspots;
    hotspot_trees_begin(building);
    vec_for_each (&building->stamps, stamp)
        *stamp = UINT32_MAX;
    row_chains chains = {0};
    for (uint32_t at = 0; at < building->paths.count; at++)
        chains_add_path(building, &chains, at);
    size_t *starts = memory_alloc(memory_product(hotspots->count + 1, sizeof(*starts)));
    struct row_chain *sorted = chains_by_row(&chains, hotspots->count, starts);
    for (size_t at = 0; at < hotspots->count; at++)
        if (hotspots->items[at].tree)
            tree_build(building, &hotspots->items[at], sorted + starts[at], starts[at + 1] - starts[at]);
    free(sorted);
    free(starts);
    vec_done(&chains);
}
