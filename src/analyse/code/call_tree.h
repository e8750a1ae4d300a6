/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which paths led here (or led on from here)? The branches that weigh enough to be shown, out of chains that share
 * their beginnings (call_trie.h): the chains from some of its nodes on, merged as if all began at the same place.
 *
 * A tree is in the order of its chains: from the root for callers first, from the leaf for callees first. It stays small
 * whatever the number of chains.
 */
#ifndef PLUMB_ANALYSE_CODE_CALL_TREE_H
#define PLUMB_ANALYSE_CODE_CALL_TREE_H

#include "analyse/code/call_trie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_TREE_ROOT 0

/* A node of the trie, with what goes on from it: of all chains but the marked ones, or of the marked ones alone. */
struct call_part {
    uint32_t node;
    bool marked;
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
 * Build the tree of the chains that begin at these nodes of the trie; places are numbers below place_count.
 * Owner: the caller (call_tree_done).
 */
void call_tree_build(struct call_tree *tree, const struct call_trie *trie, const struct call_part *parts, size_t count, size_t place_count,
                     const struct call_tree_limits *limits);
void call_tree_done(struct call_tree *tree);

#endif
