/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which beginnings do chains of places share? Every prefix that any chain has is a node, once, with the weight of the
 * chains that go through it and of those that end there.
 *
 * Samples of a long recording go few ways: what is done by node costs a hundredth of what is done by chain and place.
 * Some chains can be marked, so that their part of each node's weight is known, too.
 */
#ifndef PLUMB_ANALYSE_CODE_CALL_TRIE_H
#define PLUMB_ANALYSE_CODE_CALL_TRIE_H

#include "base/hashmap.h"
#include "base/vec.h"

#define CALL_NODE_NONE UINT32_MAX

struct call_trie_node {
    uint32_t place, parent, first_child, next_sibling; /* CALL_NODE_NONE: there is none */
    uint32_t met;    /* the chain that came here first, by its number */
    uint32_t depth;  /* places from the beginning on, this one included; 0: a root */
    uint32_t height; /* places to the end of the longest chain through here, this one included; once call_trie_sum was called */
    uint32_t row;    /* for its user; CALL_NODE_NONE at first */
};

struct call_sums {
    uint64_t self, total;                 /* weight of chains that end here; and of those that go on */
    uint64_t samples_self, samples_total;
};

struct call_mark {
    struct call_sums sums; /* of marked chains; no samples_total: not marked through here */
    uint32_t met;
};

struct call_trie {
    vec(struct call_trie_node) nodes; /* parents stand before their children */
    vec(struct call_sums) sums;       /* by node; totals once call_trie_sum was called */
    vec(struct call_mark) marks;      /* by node, once any was marked */
    vec(uint32_t) marked;
    struct hashmap children;          /* by parent and place */
};

void call_trie_done(struct call_trie *trie);
/* Forget all nodes, keep their memory. */
void call_trie_clear(struct call_trie *trie);
/* Where chains of one kind begin. */
uint32_t call_trie_root(struct call_trie *trie);
/* One place on. met: the chain's number; chains come in the order of their numbers. */
uint32_t call_trie_step(struct call_trie *trie, uint32_t node, uint32_t place, uint32_t met);
/* A chain ends at this node. */
void call_trie_end(struct call_trie *trie, uint32_t node, uint64_t weight, uint64_t samples);
/* After the last chain, before anything is asked. */
void call_trie_sum(struct call_trie *trie);

/* Chains that end there are marked, of this weight; the first of them is `met`. In the order of these numbers. */
void call_trie_mark(struct call_trie *trie, uint32_t node, uint32_t met, uint64_t weight, uint64_t samples);
void call_trie_unmark(struct call_trie *trie);

#endif
