/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths of a report as a trie from the root of the stack on: what their rows and trees are summed up from. */
#include "analyse/profile/hotspots_internal.h"

#include "base/arena.h"
#include "base/table_memory.h"
#include "base/worker.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- growing ---- */

void path_trie_begin(struct building *building)
{
    vec_for_each (&building->groups, group)
        vec_done(&group->way);
    building->nodes.count = building->links.count = building->ends.count = building->groups.count =
        building->callers.count = 0;
    hashmap_done(&building->node_map);
}

void path_trie_done(struct building *building)
{
    path_trie_begin(building);
    vec_done(&building->nodes);
    vec_done(&building->links);
    vec_done(&building->ends);
    vec_done(&building->callers);
    vec_done(&building->groups);
}

/*
 * A node's hash is that of all places on the way to it: so it is known, and fetched, before the nodes above it are
 * found.
 */
static uint64_t hash_below(uint64_t above, uint32_t place)
{
    return hash_u64(above + 0x9e3779b97f4a7c15u + place);
}

static bool link_equal(const void *context, uint32_t id, const void *key)
{
    const struct path_link *link = &((const struct building *)context)->links.items[id], *sought = key;
    return link->parent == sought->parent && link->place == sought->place;
}

_Static_assert(PATH_NODE_NONE == HASHMAP_ABSENT, "what the map doesn't have is no node");

void path_trie_fetch(const struct building *building, const struct way_end *from, uint32_t place)
{
    hashmap_fetch(&building->node_map, hash_below(from->hash, place));
}

static uint32_t node_add(struct building *building, struct path_link link)
{
    *vec_push(&building->links) = link;
    *vec_push(&building->ends) = PATH_NONE;
    return (uint32_t)building->links.count - 1;
}

static uint32_t node_get(struct building *building, struct path_link link, uint64_t hash)
{
    uint32_t id = hashmap_find(&building->node_map, hash, link_equal, building, &link);
    if (id == PATH_NODE_NONE)
        hashmap_add(&building->node_map, hash, id = node_add(building, link));
    return id;
}

/* There are as many groups as thread names, or threads: few, and the last one is most often asked for again. */
uint32_t path_trie_group(struct building *building, const struct row_key *own)
{
    struct row_key key = *own;
    key.place = PLACE_NONE;
    size_t at = building->group_last;
    if (at < building->groups.count && memcmp(&building->groups.items[at].key, &key, sizeof(key)) == 0)
        return building->group_last;
    for (at = 0; at < building->groups.count && memcmp(&building->groups.items[at].key, &key, sizeof(key)) != 0;)
        at++;
    if (at == building->groups.count)
        *vec_push(&building->groups) = (struct path_group){.key = key, .root = PATH_NODE_NONE};
    return building->group_last = (uint32_t)at;
}

/* How many of the frames at hand are those of the path before. */
static size_t way_in_common(const struct building *building, const struct path_group *group)
{
    size_t most = building->frames.count < group->way.count ? building->frames.count : group->way.count, at = 0;
    while (at < most && group->way.items[at].place == building->frames.items[at])
        at++;
    return at;
}

struct way_end path_trie_add(struct building *building, uint32_t group_id)
{
    struct path_group *group = &building->groups.items[group_id];
    if (group->root == PATH_NODE_NONE)
        group->root = node_add(building, (struct path_link){.place = group_id, .parent = PATH_NODE_NONE});
    struct way_end end = {
        .group = group_id, .node = group->root, .hash = hash_u64(group_id), .depth = (uint32_t)building->frames.count};
    size_t common = way_in_common(building, group);
    if (common) {
        end.node = group->way.items[common - 1].node;
        end.hash = group->way.items[common - 1].hash;
    }
    group->way.count = common;
    for (size_t at = common; at < building->frames.count; at++) {
        end.hash = hash_below(end.hash, building->frames.items[at]);
        hashmap_fetch(&building->node_map, end.hash);
        *vec_push(&group->way) = (struct way_step){.place = building->frames.items[at], .hash = end.hash};
    }
    for (size_t at = common; at < group->way.count; at++) {
        struct way_step *step = &group->way.items[at];
        end.node = step->node =
            node_get(building, (struct path_link){.place = step->place, .parent = end.node}, step->hash);
    }
    return end;
}

struct way_end path_trie_go_on(struct building *building, struct way_end from)
{
    vec_for_each (&building->frames, place) {
        from.hash = hash_below(from.hash, *place);
        from.node = node_get(building, (struct path_link){.place = *place, .parent = from.node}, from.hash);
    }
    from.depth += (uint32_t)building->frames.count;
    return from;
}

/* ---- counting ---- */

static void nodes_begin(struct building *building)
{
    vec_reserve(&building->nodes, building->links.count);
    for (building->nodes.count = 0; building->nodes.count < building->links.count; building->nodes.count++) {
        uint32_t parent = building->links.items[building->nodes.count].parent;
        building->nodes.items[building->nodes.count] =
            (struct path_node){.depth = parent == PATH_NODE_NONE ? 0 : building->nodes.items[parent].depth + 1};
    }
}

/* What was counted at the ends of paths, and how deep these are, into all nodes on the way there. */
static void nodes_sum(struct building *building)
{
    struct path_node *nodes = building->nodes.items;
    vec_for_each (&building->paths, path) {
        nodes[path->node].samples += path->samples;
        nodes[path->node].period += path->period;
        nodes[path->node].depth_most = path->count;
    }
    for (size_t at = building->nodes.count; at-- > 0;) {
        uint32_t parent = building->links.items[at].parent;
        if (parent == PATH_NODE_NONE)
            continue;
        struct path_node *above = &nodes[parent];
        above->samples += nodes[at].samples;
        above->period += nodes[at].period;
        if (above->depth_most < nodes[at].depth_most)
            above->depth_most = nodes[at].depth_most;
    }
}

/* Of the rows of a node and of those above it a bit each, which several may share. */
static uint64_t row_bit(uint32_t row)
{
    return UINT64_C(1) << (row & 63);
}

/* Whether a node or one above it is of that row; rows: the bits of all of them. */
static bool way_has_row(const struct building *building, uint32_t node, uint64_t rows, uint32_t row)
{
    const struct path_node *nodes = building->nodes.items;
    if (!(rows & row_bit(row)))
        return false;
    while (nodes[node].depth && nodes[node].row != row)
        node = building->links.items[node].parent;
    return nodes[node].depth > 0;
}

/*
 * A node that the path brought: its row counts all that went this way, unless it is a recursion, as a sample counts
 * once.
 */
static void node_count(struct building *building, const struct path *path, uint32_t id, uint64_t *rows)
{
    const struct path_link *link = &building->links.items[id];
    struct path_node *node = &building->nodes.items[id];
    uint32_t row = node->row = row_of(building, path, link->place);
    node->outermost = !way_has_row(building, link->parent, rows[link->parent], row);
    rows[id] = rows[link->parent] | row_bit(row);
    if (!node->outermost)
        return;
    const struct path all = {.samples = node->samples, .period = node->period};
    hotspot_row_count(building, row, &all, false);
    hotspot_row_deepen(building, row, node->depth_most - (node->depth - 1));
}

void path_trie_count(struct building *building)
{
    /* by node, as row_bit() has them */
    uint64_t *rows = memory_alloc(memory_product(building->links.count, sizeof(*rows)));
    nodes_begin(building);
    nodes_sum(building);
    for (uint32_t at = 0; at < building->paths.count; at++) {
        struct path *path = &building->paths.items[at];
        uint32_t end = at + 1 < building->paths.count ? path[1].first_node : (uint32_t)building->links.count;
        path->row = row_of(building, path, path->own.place);
        hotspot_row_count(building, path->row, path, true);
        hotspot_row_deepen(building, path->row, path->count);
        for (uint32_t node = path->first_node; node < end; node++) {
            building->nodes.items[node].first_path = at;
            if (building->nodes.items[node].depth)
                node_count(building, path, node, rows);
        }
        if (!way_has_row(building, path->node, rows[path->node], path->row))
            hotspot_row_count(building, path->row, path, false);
    }
    free(rows);
}

/* ---- trees ---- */

/* Of a node, what comes of paths that end in the row at hand. */
struct own_part {
    uint64_t samples, period;
    uint32_t first_path, node;
};

/* A node at some place of a row's tree: with the samples of the row itself, or with those that it only called. */
struct element {
    uint32_t node : 31;
    uint32_t is_own : 1;
};

struct branch {
    uint32_t place, first_path;
    uint64_t weight, samples;
    size_t elements, begin; /* how many, and where they stand */
};

struct open_node {
    uint32_t node;
    size_t begin, end; /* its elements */
};

/* What belongs to each row or node: numbers of paths or of nodes, those of one next to each other from its start on. */
struct members {
    uint32_t *items, *starts;
};

/* owners: of each item, below owner_count; UINT32_MAX: nobody's. */
static struct members members_of(const uint32_t *owners, size_t count, size_t owner_count)
{
    struct members members = {memory_alloc(memory_product(count + 1, sizeof(uint32_t))),
                              memory_alloc(memory_product(owner_count + 1, sizeof(uint32_t)))};
    for (size_t at = 0; at < count; at++)
        if (owners[at] != UINT32_MAX)
            members.starts[owners[at] + 1]++;
    for (size_t owner = 0; owner < owner_count; owner++)
        members.starts[owner + 1] += members.starts[owner];
    for (size_t at = 0; at < count; at++)
        if (owners[at] != UINT32_MAX)
            members.items[members.starts[owners[at]]++] = (uint32_t)at;
    /* each start has moved to its owner's end */
    memmove(members.starts + 1, members.starts, owner_count * sizeof(uint32_t));
    members.starts[0] = 0;
    return members;
}

static void members_done(struct members *members)
{
    free(members->items);
    free(members->starts);
}

/* What trees are grown from; nothing of it is written. */
struct seed {
    const struct building *building;
    struct members paths, nodes; /* of rows: paths whose own place is of it; the outermost nodes */
    struct members children;     /* of nodes */
};

struct growing {
    const struct seed *seed;
    struct call_tree *tree;
    struct call_tree_limits limits;
    vec(struct own_part) own; /* the first: of all nodes without one */
    uint32_t *own_of_node;    /* into own */
    uint32_t *branch_of_place; /* UINT32_MAX between two nodes */
    vec(struct branch) branches;
    vec(struct element) elements, found; /* of open nodes; what the one at hand leads to */
    vec(struct open_node) open;
};

struct weight {
    uint64_t samples, period;
    uint32_t first_path;
};

static struct weight element_weight(const struct growing *growing, struct element element)
{
    const struct path_node *node = &growing->seed->building->nodes.items[element.node];
    const struct own_part *own = &growing->own.items[growing->own_of_node[element.node]];
    if (element.is_own)
        return (struct weight){own->samples, own->period, own->first_path};
    return (struct weight){node->samples - own->samples, node->period - own->period, node->first_path};
}

/* Returns the weight that goes on into the element's place. */
static struct weight branch_add(struct growing *growing, struct element element)
{
    struct weight weight = element_weight(growing, element);
    if (!weight.samples)
        return weight;
    uint32_t place = growing->seed->building->links.items[element.node].place;
    uint32_t at = growing->branch_of_place[place];
    if (at == UINT32_MAX) {
        at = growing->branch_of_place[place] = (uint32_t)growing->branches.count;
        *vec_push(&growing->branches) = (struct branch){.place = place, .first_path = weight.first_path};
    }
    struct branch *branch = &growing->branches.items[at];
    branch->weight += weight.period;
    branch->samples += weight.samples;
    branch->elements++;
    if (weight.first_path < branch->first_path)
        branch->first_path = weight.first_path;
    *vec_push(&growing->found) = element;
    return weight;
}

static int heavier_first(const void *left, const void *right)
{
    const struct branch *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    if (a->first_path != b->first_path)
        return a->first_path < b->first_path ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static uint32_t tree_node_add(struct call_tree *tree, uint32_t parent, uint32_t place)
{
    uint32_t id = (uint32_t)tree->count;
    *vec_push(tree) = (struct call_node){
        .place = place, .parent = parent, .first_child = CALL_NODE_NONE, .next_sibling = CALL_NODE_NONE};
    return id;
}

/* The branches that weigh enough become nodes, each with its elements next to each other. */
static void branches_grow(struct growing *growing, uint32_t parent)
{
    struct call_node *node = &growing->tree->items[parent];
    uint64_t share = (uint64_t)(growing->limits.share_least * (double)(node->total - node->self));
    uint64_t least = share > growing->limits.weight_least ? share : growing->limits.weight_least;
    size_t kept = 0, begin = growing->elements.count;
    vec_for_each (&growing->branches, branch) {
        growing->branch_of_place[branch->place] = UINT32_MAX;
        if (branch->weight >= least)
            growing->branches.items[kept++] = *branch;
    }
    growing->branches.count = kept;
    if (kept)
        qsort(growing->branches.items, kept, sizeof(struct branch), heavier_first);
    uint32_t last = CALL_NODE_NONE;
    for (uint32_t at = 0; at < kept; at++) {
        struct branch *branch = &growing->branches.items[at];
        growing->branch_of_place[branch->place] = at;
        branch->begin = begin;
        begin += branch->elements;
        uint32_t child = tree_node_add(growing->tree, parent, branch->place);
        *(last == CALL_NODE_NONE ? &growing->tree->items[parent].first_child
                                 : &growing->tree->items[last].next_sibling) = child;
        last = child;
        *vec_push(&growing->open) = (struct open_node){child, branch->begin, begin};
    }
    vec_reserve(&growing->elements, begin);
    growing->elements.count = begin;
    vec_for_each (&growing->found, element) {
        uint32_t branch = growing->branch_of_place[growing->seed->building->links.items[element->node].place];
        if (branch != UINT32_MAX)
            growing->elements.items[growing->branches.items[branch].begin++] = *element;
    }
    vec_for_each (&growing->branches, branch)
        growing->branch_of_place[branch->place] = UINT32_MAX;
}

/* Where the element's paths go on to; what doesn't ends in the tree's node. */
static void element_follow(struct growing *growing, struct element element, struct call_node *node)
{
    struct weight all = element_weight(growing, element);
    node->total += all.period;
    node->samples_total += all.samples;
    const struct members *children = &growing->seed->children;
    for (uint32_t at = children->starts[element.node]; at < children->starts[element.node + 1]; at++) {
        struct weight on = branch_add(growing, (struct element){.node = children->items[at], .is_own = element.is_own});
        all.period -= on.period;
        all.samples -= on.samples;
    }
    node->self += all.period;
    node->samples_self += all.samples;
}

static void own_add(struct growing *growing, uint32_t path_id)
{
    const struct path *path = &growing->seed->building->paths.items[path_id];
    uint32_t node = path->count ? path->node : PATH_NODE_NONE;
    for (; node != PATH_NODE_NONE; node = growing->seed->building->links.items[node].parent) {
        uint32_t *at = &growing->own_of_node[node];
        if (!*at) {
            *at = (uint32_t)growing->own.count;
            *vec_push(&growing->own) = (struct own_part){.first_path = path_id, .node = node};
        }
        struct own_part *own = &growing->own.items[*at];
        own->samples += path->samples;
        own->period += path->period;
    }
}

static void own_forget(struct growing *growing)
{
    while (growing->own.count > 1)
        growing->own_of_node[growing->own.items[--growing->own.count].node] = 0;
}

/* A row's own samples bring their whole stack; samples that it only called bring theirs from the row on. */
static void tree_grow(struct growing *growing, uint32_t row)
{
    const struct members *paths = &growing->seed->paths, *nodes = &growing->seed->nodes;
    growing->elements.count = growing->found.count = growing->branches.count = growing->open.count = 0;
    for (uint32_t at = paths->starts[row]; at < paths->starts[row + 1]; at++)
        own_add(growing, paths->items[at]);
    uint32_t root = tree_node_add(growing->tree, CALL_NODE_NONE, UINT32_MAX);
    struct call_node whole = growing->tree->items[root];
    for (size_t at = 1; at < growing->own.count; at++)
        if (!growing->seed->building->nodes.items[growing->own.items[at].node].depth)
            element_follow(growing, (struct element){.node = growing->own.items[at].node, .is_own = true}, &whole);
    for (uint32_t at = nodes->starts[row]; at < nodes->starts[row + 1]; at++) {
        struct weight called = branch_add(growing, (struct element){.node = nodes->items[at]});
        whole.total += called.period;
        whole.samples_total += called.samples;
    }
    growing->tree->items[root] = whole;
    branches_grow(growing, root);
    while (growing->open.count) {
        struct open_node open = growing->open.items[--growing->open.count];
        struct call_node node = growing->tree->items[open.node];
        growing->found.count = growing->branches.count = 0;
        for (size_t at = open.begin; at < open.end; at++)
            element_follow(growing, growing->elements.items[at], &node);
        growing->tree->items[open.node] = node;
        branches_grow(growing, open.node);
    }
    own_forget(growing);
}

static void seed_begin(struct seed *seed, const struct building *building)
{
    size_t paths = building->paths.count, nodes = building->nodes.count, rows = building->hotspots->count;
    uint32_t *owners = memory_alloc(memory_product((paths > nodes ? paths : nodes) + 1, sizeof(*owners)));
    for (size_t at = 0; at < paths; at++)
        owners[at] = building->paths.items[at].row;
    seed->building = building;
    seed->paths = members_of(owners, paths, rows);
    for (size_t at = 0; at < nodes; at++) {
        const struct path_node *node = &building->nodes.items[at];
        owners[at] = node->depth && node->outermost ? node->row : UINT32_MAX;
    }
    seed->nodes = members_of(owners, nodes, rows);
    for (size_t at = 0; at < nodes; at++)
        owners[at] = building->links.items[at].parent; /* a root's: nobody */
    seed->children = members_of(owners, nodes, nodes);
    free(owners);
}

_Static_assert(PATH_NODE_NONE == UINT32_MAX, "a root has no owner");

static void seed_done(struct seed *seed)
{
    members_done(&seed->paths);
    members_done(&seed->nodes);
    members_done(&seed->children);
}

/* The trees of a report, each of which hangs on none of the others: whichever core is free takes the next one. */
struct forest {
    struct building *building; /* no more than its rows' own is written */
    struct seed seed;
    atomic_uint next_row;
};

static void forest_grow(void *context)
{
    struct forest *forest = context;
    struct building *building = forest->building;
    struct growing growing = {
        .seed = &forest->seed,
        /* its pages are looked at before they are written */
        .own_of_node = table_memory_alloc(building->nodes.count, sizeof(uint32_t)),
        .branch_of_place = memory_alloc(memory_product(building->places->count, sizeof(uint32_t))),
    };
    memset(growing.branch_of_place, 0xff, building->places->count * sizeof(uint32_t));
    *vec_push(&growing.own) = (struct own_part){0};
    for (uint32_t row; (row = atomic_fetch_add(&forest->next_row, 1)) < building->hotspots->count;) {
        struct hotspot *hotspot = &building->hotspots->items[row];
        if (!hotspot->tree)
            continue;
        growing.tree = hotspot->tree;
        growing.limits = hotspot_tree_limits(building, hotspot);
        tree_grow(&growing, row);
    }
    free(growing.own_of_node);
    free(growing.branch_of_place);
    vec_done(&growing.own);
    vec_done(&growing.branches);
    vec_done(&growing.elements);
    vec_done(&growing.found);
    vec_done(&growing.open);
}

void path_trie_trees(struct building *building)
{
    enum { NODES_WORTH_A_THREAD = 1 << 12 };
    hotspot_trees_begin(building);
    if (!building->nodes.count)
        return;
    struct forest forest = {.building = building};
    struct worker worker = {0};
    seed_begin(&forest.seed, building);
    if (building->nodes.count >= NODES_WORTH_A_THREAD && worker_has_core())
        worker_begin(&worker, forest_grow, &forest);
    forest_grow(&forest);
    worker_end(&worker);
    seed_done(&forest.seed);
}
