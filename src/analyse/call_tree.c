/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/call_tree.h"

#include "base/vec.h"

#include <stdlib.h>

void call_tree_init(struct call_tree *tree)
{
    *tree = (struct call_tree){0};
    *vec_push(tree) = (struct call_node){
        .place = UINT32_MAX, .parent = CALL_NODE_NONE, .first_child = CALL_NODE_NONE, .next_sibling = CALL_NODE_NONE};
}

void call_tree_done(struct call_tree *tree)
{
    vec_done(tree);
    hashmap_done(&tree->map);
}

static uint32_t child_of(struct call_tree *tree, uint32_t parent, uint32_t place)
{
    /* Parent and place make the key itself: 64 bits hold both. */
    uint64_t key = hash_u64((uint64_t)parent << 32 | place);
    uint32_t id = hashmap_find(&tree->map, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)tree->count;
    *vec_push(tree) = (struct call_node){.place = place,
                                         .parent = parent,
                                         .first_child = CALL_NODE_NONE,
                                         .next_sibling = tree->items[parent].first_child};
    tree->items[parent].first_child = id;
    hashmap_add(&tree->map, key, id);
    return id;
}

void call_tree_add(struct call_tree *tree, const uint32_t *places, size_t count, uint64_t weight, uint64_t samples)
{
    uint32_t node = CALL_TREE_ROOT;
    tree->items[node].total += weight;
    tree->items[node].samples_total += samples;
    for (size_t at = 0; at < count; at++) {
        node = child_of(tree, node, places[at]);
        tree->items[node].total += weight;
        tree->items[node].samples_total += samples;
    }
    tree->items[node].self += weight;
    tree->items[node].samples_self += samples;
    if (count > tree->depth_most)
        tree->depth_most = count;
}

struct sorting {
    uint64_t total;
    uint32_t node;
};

static int heavier_first(const void *a, const void *b)
{
    const struct sorting *left = a, *right = b;
    if (left->total != right->total)
        return left->total < right->total ? 1 : -1;
    return left->node < right->node ? -1 : left->node > right->node; /* first met, first shown */
}

void call_tree_sort(struct call_tree *tree, uint64_t least, double share_least)
{
    vec(struct sorting) children = {0};
    for (size_t node = 0; node < tree->count; node++) {
        children.count = 0;
        double passed_on = (double)(tree->items[node].total - tree->items[node].self);
        uint64_t share = (uint64_t)(share_least * passed_on);
        uint64_t floor = share > least ? share : least;
        for (uint32_t at = tree->items[node].first_child; at != CALL_NODE_NONE; at = tree->items[at].next_sibling)
            if (tree->items[at].total >= floor)
                *vec_push(&children) = (struct sorting){tree->items[at].total, at};
        qsort(children.items ? children.items : (void *)tree, children.count, sizeof(struct sorting), heavier_first);
        uint32_t *link = &tree->items[node].first_child;
        for (size_t at = 0; at < children.count; at++) {
            *link = children.items[at].node;
            link = &tree->items[*link].next_sibling;
        }
        *link = CALL_NODE_NONE;
    }
    vec_done(&children);
}
