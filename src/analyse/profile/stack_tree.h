/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which paths of calls did the CPU time take? One tree of a case's stacks, callers first, below each thread's name:
 * what a flame graph draws.
 *
 * Names come from the case's own bundle alone, so that a replay has them, too. Counts are samples, those that count
 * time (stalls_counts_sample). Where there are more paths than anybody can look at, the lightest are left out: what
 * they weigh stays with their callers, and `folded_below` says so.
 */
#ifndef PLUMB_ANALYSE_PROFILE_STACK_TREE_H
#define PLUMB_ANALYSE_PROFILE_STACK_TREE_H

#include "symbol/code_bundle.h"

struct stack_frame {
    const char *name; /* of a function, or "[dso]" where nothing names it; of a thread, at depth 0 */
    const char *dso;  /* last part of its path; "" for a thread */
    bool is_kernel;
};

struct stack_node { /* in the order in which a tree is read: each before what it called */
    uint32_t frame;
    uint32_t depth;   /* 0: a thread's name */
    uint64_t samples; /* in it and in what it called */
};

struct stack_tree {
    struct stack_frame *frames;
    size_t frame_count;
    struct stack_node *nodes; /* siblings: the heaviest first */
    size_t node_count;
    uint64_t sample_count;
    uint64_t folded_below; /* paths of fewer samples were left out; 0: none */
    const char *event;     /* whose samples; NULL: there are none */
};

/* Owner: arena. */
void stack_tree_find(struct stack_tree *tree, const struct recording *recording, const struct code_bundle *bundle,
                     size_t nodes_most, struct arena *arena);

#endif
