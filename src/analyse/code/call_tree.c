/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/call_tree.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define NO_BRANCH UINT32_MAX

/* What continues from a node to one place. */
struct branch {
    uint32_t place, met; /* met: by which chain first */
    struct call_sums sums;
    size_t parts, end; /* how many, and behind which they stand once sorted */
};

/* A node whose own parts are known, but not yet where they lead: the last ones of building.parts, from begin on. */
struct open_node {
    uint32_t node;
    size_t begin;
};

struct building {
    struct call_tree *tree;
    const struct call_trie *trie;
    const struct call_tree_limits *limits;
    uint32_t *branch_of_place; /* NO_BRANCH between two nodes */
    vec(struct branch) branches;
    vec(struct open_node) open;
    vec(struct call_part) parts, next; /* of open nodes; where the parts of the one at hand lead */
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

/* False: no chain of that kind goes through the node. */
static bool part_sums(const struct building *building, struct call_part part, struct call_sums *ret_sums, uint32_t *ret_met)
{
    const struct call_trie *trie = building->trie;
    struct call_sums all = trie->sums.items[part.node];
    static const struct call_mark no_mark;
    const struct call_mark *mark = part.node < trie->marks.count ? &trie->marks.items[part.node] : &no_mark;
    *ret_met = part.marked ? mark->met : trie->nodes.items[part.node].met;
    *ret_sums = part.marked ? mark->sums
                            : (struct call_sums){all.self - mark->sums.self, all.total - mark->sums.total,
                                                 all.samples_self - mark->sums.samples_self, all.samples_total - mark->sums.samples_total};
    return ret_sums->samples_total > 0;
}

static void sums_add(struct call_sums *sums, const struct call_sums *more)
{
    sums->self += more->self;
    sums->total += more->total;
    sums->samples_self += more->samples_self;
    sums->samples_total += more->samples_total;
}

static struct branch *branch_to(struct building *building, uint32_t place)
{
    uint32_t at = building->branch_of_place[place];
    if (at == NO_BRANCH) {
        at = building->branch_of_place[place] = (uint32_t)building->branches.count;
        *vec_push(&building->branches) = (struct branch){.place = place, .met = UINT32_MAX};
    }
    return &building->branches.items[at];
}

/* One of the parts that the node at hand leads to. */
static void next_add(struct building *building, struct call_part part)
{
    struct call_sums sums;
    uint32_t met;
    if (!part_sums(building, part, &sums, &met))
        return;
    struct branch *branch = branch_to(building, building->trie->nodes.items[part.node].place);
    sums_add(&branch->sums, &sums);
    branch->met = met < branch->met ? met : branch->met;
    branch->parts++;
    *vec_push(&building->next) = part;
}

static int heavier_first(const void *left, const void *right)
{
    const struct branch *a = left, *b = right;
    if (a->sums.total != b->sums.total)
        return a->sums.total < b->sums.total ? 1 : -1;
    return a->met < b->met ? -1 : a->met > b->met;
}

/* passed: what goes on from the node. */
static void branches_prune(struct building *building, uint64_t passed)
{
    uint64_t share = (uint64_t)(building->limits->share_least * (double)passed);
    uint64_t least = share > building->limits->weight_least ? share : building->limits->weight_least;
    size_t kept = 0;
    vec_for_each (&building->branches, branch) {
        building->branch_of_place[branch->place] = NO_BRANCH;
        if (branch->sums.total >= least)
            building->branches.items[kept++] = *branch;
    }
    building->branches.count = kept;
    if (kept)
        qsort(building->branches.items, kept, sizeof(struct branch), heavier_first);
}

/* The parts of each branch that stays, next to each other behind those of other open nodes. */
static void parts_sort(struct building *building)
{
    size_t end = building->parts.count;
    for (uint32_t at = 0; at < building->branches.count; at++) {
        building->branches.items[at].end = end;
        building->branch_of_place[building->branches.items[at].place] = at;
        end += building->branches.items[at].parts;
    }
    vec_reserve(&building->parts, end);
    building->parts.count = end;
    vec_for_each (&building->next, part) {
        uint32_t branch = building->branch_of_place[building->trie->nodes.items[part->node].place];
        if (branch != NO_BRANCH)
            building->parts.items[building->branches.items[branch].end++] = *part;
    }
}

/* Give each branch that stays a node below the one at hand. */
static void branches_grow(struct building *building, uint32_t parent)
{
    struct call_tree *tree = building->tree;
    uint32_t last = CALL_NODE_NONE;
    parts_sort(building);
    vec_for_each (&building->branches, branch) {
        building->branch_of_place[branch->place] = NO_BRANCH;
        uint32_t id = node_add(tree, parent, branch->place);
        struct call_node *node = &tree->items[id];
        node->self = branch->sums.self;
        node->total = branch->sums.total;
        node->samples_self = branch->sums.samples_self;
        node->samples_total = branch->sums.samples_total;
        *(last == CALL_NODE_NONE ? &tree->items[parent].first_child : &tree->items[last].next_sibling) = id;
        last = id;
        *vec_push(&building->open) = (struct open_node){id, branch->end - branch->parts};
    }
}

static void node_expand(struct building *building, struct open_node open)
{
    building->branches.count = building->next.count = 0;
    for (size_t at = open.begin; at < building->parts.count; at++) {
        struct call_part part = building->parts.items[at];
        uint32_t child = building->trie->nodes.items[part.node].first_child;
        for (; child != CALL_NODE_NONE; child = building->trie->nodes.items[child].next_sibling)
            next_add(building, (struct call_part){child, part.marked});
    }
    building->parts.count = open.begin;
    const struct call_node *node = &building->tree->items[open.node];
    branches_prune(building, node->total - node->self);
    branches_grow(building, open.node);
}

static void root_expand(struct building *building, const struct call_part *parts, size_t count)
{
    struct call_node *root = &building->tree->items[CALL_TREE_ROOT];
    for (size_t at = 0; at < count; at++)
        next_add(building, parts[at]);
    vec_for_each (&building->branches, branch) {
        root->total += branch->sums.total;
        root->samples_total += branch->sums.samples_total;
    }
    branches_prune(building, root->total);
    branches_grow(building, CALL_TREE_ROOT);
}

void call_tree_build(struct call_tree *tree, const struct call_trie *trie, const struct call_part *parts, size_t count, size_t place_count,
                     const struct call_tree_limits *limits)
{
    *tree = (struct call_tree){0};
    struct building building = {
        .tree = tree,
        .trie = trie,
        .limits = limits,
        .branch_of_place = memory_alloc(memory_product(place_count, sizeof(uint32_t))),
    };
    memset(building.branch_of_place, 0xff, place_count * sizeof(uint32_t));
    node_add(tree, CALL_NODE_NONE, UINT32_MAX);
    root_expand(&building, parts, count);
    while (building.open.count)
        node_expand(&building, building.open.items[--building.open.count]);
    free(building.branch_of_place);
    vec_done(&building.branches);
    vec_done(&building.open);
    vec_done(&building.parts);
    vec_done(&building.next);
}
