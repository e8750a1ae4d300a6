/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which paths led here (or led on from here)? Weighted chains of places, merged from their common beginning.
 *
 * A chain is handed in in the order in which the tree is read: from the root for callers first, from the leaf
 * for callees first. Does not support: removing chains.
 */
#ifndef PLUMB_ANALYSE_CALL_TREE_H
#define PLUMB_ANALYSE_CALL_TREE_H

#include "base/hashmap.h"

#define CALL_TREE_ROOT 0
#define CALL_NODE_NONE UINT32_MAX

struct call_node {
    uint32_t place;
    uint32_t parent, first_child, next_sibling;
    uint64_t self;   /* of chains that end here */
    uint64_t total;  /* and of those that go on */
    uint64_t samples_self, samples_total;
};

struct call_tree {
    struct call_node *items; /* items[CALL_TREE_ROOT] stands before the first place of every chain */
    size_t count, capacity;
    struct hashmap map;
    size_t depth_most;
};

void call_tree_init(struct call_tree *tree);
void call_tree_done(struct call_tree *tree);
void call_tree_add(struct call_tree *tree, const uint32_t *places, size_t count, uint64_t weight, uint64_t samples);
/* Drop children below `least`, or below a share of what their parent passes on, and put the heavier ones first. */
void call_tree_sort(struct call_tree *tree, uint64_t least, double share_least);

#endif
