/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which blocks does every way into a block lead through?
 *
 * Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", the simple form with path compression:
 * generated code has functions of 100 000 blocks, where walking up chains of dominators takes minutes.
 * Blocks that no entry leads to become entries themselves, in the order of their numbers.
 */
#ifndef PLUMB_ANALYSE_CODE_DOMINATORS_H
#define PLUMB_ANALYSE_CODE_DOMINATORS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_NONE UINT32_MAX

struct block_graph {
    size_t count;                        /* blocks are numbered from 0 */
    uint32_t (*next)[2];                 /* successors: BLOCK_NONE */
    const uint32_t *pred_first, *preds;  /* predecessors of block b: preds[pred_first[b]] up to pred_first[b + 1] */
    const uint32_t *entries;
    size_t entry_count;
};

struct dominators {
    uint32_t *enter, *size; /* of each block's subtree in the tree of dominators, numbered depth first */
};

/* Owner of the result: arena. */
struct dominators dominators_find(const struct block_graph *graph, struct arena *arena);
/* Whether every way to b leads through a; a block dominates itself. */
bool dominators_include(const struct dominators *dominators, uint32_t a, uint32_t b);

#endif
