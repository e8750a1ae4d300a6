/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which paths led here (or led on from here)? Weighted chains of places, merged from their common beginning.
 *
 * A chain is handed in in the order in which the tree is read: from the root for callers first, from the leaf
 * for callees first. Only branches that weigh enough to be shown get nodes, so that a tree stays small whatever
 * the number of chains.
 */
#ifndef PLUMB_ANALYSE_PROFILE_CALL_TREE_H
#define PLUMB_ANALYSE_PROFILE_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#define CALL_TREE_ROOT 0
#define CALL_NODE_NONE UINT32_MAX

struct call_chain {
    const uint32_t *places; /* owner: the caller */
    uint32_t count;
    uint64_t weight, samples;
};

struct call_node {
    uint32_t place;
    uint32_t parent, first_child, next_sibling; /* siblings: the heaviest first */
    uint64_t self;                              /* of chains that end here */
    uint64_t total;                             /* and of those that go on */
    uint64_t samples_self, samples_total;
};

struct call_tree {
    struct call_node *items; /* items[CALL_TREE_ROOT] stands before the first place of every chain */
    size_t count, capacity;
};

struct call_tree_limits {
    uint64_t weight_least; /* branches below this weight are left out … */
    double share_least;    /* … and those below this share of what their parent passes on */
};

/*
 * Build the tree of chains (which are put into another order); places are numbers below place_count.
 * Owner: the caller (call_tree_done).
 */
void call_tree_build(struct call_tree *tree, struct call_chain *chains, size_t count, size_t place_count,
                     const struct call_tree_limits *limits);
void call_tree_done(struct call_tree *tree);

#endif
