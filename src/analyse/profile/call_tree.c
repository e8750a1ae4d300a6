/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/call_tree.h"

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_BRANCH UINT32_MAX

/* What continues from a node to one place. */
struct branch {
    uint32_t place, met; /* met: in which order */
    uint64_t weight, samples;
    size_t chains, begin; /* how many, and where they stand once sorted */
};

/* A node whose chains are known, but not yet where they lead. */
struct open_node {
    uint32_t node, depth;
    size_t begin, end; /* its chains */
};

struct building {
    struct call_tree *tree;
    struct call_chain *chains, *sorted;
    const struct call_tree_limits *limits;
    uint32_t *branch_of_place; /* NO_BRANCH between two nodes */
    vec(struct branch) branches;
    vec(struct open_node) open;
};

void call_tree_done(struct call_tree *tree)
{
    vec_done(tree);
}

static uint32_t node_add(struct call_tree *tree, uint32_t parent, uint32_t place)
{
    uint32_t id = (uint32_t)tree->count;
    *vec_push(tree) = (struct call_node){
        .place = place, .parent = parent, .first_child = CALL_NODE_NONE, .next_sibling = CALL_NODE_NONE};
    return id;
}

static struct branch *branch_to(struct building *building, uint32_t place)
{
    uint32_t at = building->branch_of_place[place];
    if (at == NO_BRANCH) {
        at = building->branch_of_place[place] = (uint32_t)building->branches.count;
        *vec_push(&building->branches) = (struct branch){.place = place, .met = at};
    }
    return &building->branches.items[at];
}

/* Where the chains of an open node lead, and what ends in it. */
static void branches_count(struct building *building, const struct open_node *open)
{
    struct call_node *node = &building->tree->items[open->node];
    building->branches.count = 0;
    for (size_t at = open->begin; at < open->end; at++) {
        const struct call_chain *chain = &building->chains[at];
        node->total += chain->weight;
        node->samples_total += chain->samples;
        if (chain->count == open->depth) {
            node->self += chain->weight;
            node->samples_self += chain->samples;
            continue;
        }
        struct branch *branch = branch_to(building, chain->places[open->depth]);
        branch->weight += chain->weight;
        branch->samples += chain->samples;
        branch->chains++;
    }
    vec_for_each (&building->branches, branch)
        building->branch_of_place[branch->place] = NO_BRANCH;
}

static int heavier_first(const void *left, const void *right)
{
    const struct branch *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return a->met < b->met ? -1 : a->met > b->met;
}

static void branches_prune(struct building *building, const struct call_node *node)
{
    uint64_t share = (uint64_t)(building->limits->share_least * (double)(node->total - node->self));
    uint64_t least = share > building->limits->weight_least ? share : building->limits->weight_least;
    size_t kept = 0;
    vec_for_each (&building->branches, branch)
        if (branch->weight >= least)
            building->branches.items[kept++] = *branch;
    building->branches.count = kept;
    if (kept)
        qsort(building->branches.items, kept, sizeof(struct branch), heavier_first);
}

/* Nothing ends here and all goes on to one place, as along most of a stack: the chains are in order already. */
static bool branch_alone(struct building *building, const struct open_node *open)
{
    if (building->branches.count != 1 || building->branches.items[0].chains != open->end - open->begin)
        return false;
    uint32_t node = node_add(building->tree, open->node, building->branches.items[0].place);
    building->tree->items[open->node].first_child = node;
    *vec_push(&building->open) = (struct open_node){node, open->depth + 1, open->begin, open->end};
    return true;
}

/* Put the chains of each branch that stays next to each other, from open->begin on, and give it a node. */
static void branches_grow(struct building *building, const struct open_node *open)
{
    size_t begin = open->begin;
    for (uint32_t at = 0; at < building->branches.count; at++) {
        building->branches.items[at].begin = begin;
        building->branch_of_place[building->branches.items[at].place] = at;
        begin += building->branches.items[at].chains;
    }
    size_t kept_end = begin;
    for (size_t at = open->begin; at < open->end; at++) {
        const struct call_chain *chain = &building->chains[at];
        uint32_t branch =
            chain->count == open->depth ? NO_BRANCH : building->branch_of_place[chain->places[open->depth]];
        if (branch != NO_BRANCH)
            building->sorted[building->branches.items[branch].begin++] = *chain;
    }
    if (kept_end > open->begin)
        memcpy(building->chains + open->begin, building->sorted + open->begin,
               (kept_end - open->begin) * sizeof(struct call_chain));
    uint32_t last = CALL_NODE_NONE;
    vec_for_each (&building->branches, branch) {
        building->branch_of_place[branch->place] = NO_BRANCH;
        uint32_t node = node_add(building->tree, open->node, branch->place);
        *(last == CALL_NODE_NONE ? &building->tree->items[open->node].first_child
                                 : &building->tree->items[last].next_sibling) = node;
        last = node;
        /* begin has moved to the branch's end */
        *vec_push(&building->open) =
            (struct open_node){node, open->depth + 1, branch->begin - branch->chains, branch->begin};
    }
}

void call_tree_build(struct call_tree *tree, struct call_chain *chains, size_t count, size_t place_count,
                     const struct call_tree_limits *limits)
{
    *tree = (struct call_tree){0};
    struct building building = {
        .tree = tree,
        .chains = chains,
        .sorted = memory_alloc(memory_product(count, sizeof(*chains))),
        .limits = limits,
        .branch_of_place = memory_alloc(memory_product(place_count, sizeof(uint32_t))),
    };
    memset(building.branch_of_place, 0xff, place_count * sizeof(uint32_t));
    *vec_push(&building.open) = (struct open_node){node_add(tree, CALL_NODE_NONE, UINT32_MAX), 0, 0, count};
    while (building.open.count) {
        struct open_node open = building.open.items[--building.open.count];
        branches_count(&building, &open);
        branches_prune(&building, &tree->items[open.node]);
        if (!branch_alone(&building, &open))
            branches_grow(&building, &open);
    }
    free(building.sorted);
    free(building.branch_of_place);
    vec_done(&building.branches);
    vec_done(&building.open);
}
