/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/code/dominators.h"

#include <criterion/criterion.h>

enum { BLOCKS_MOST = 40 };

struct graph_case {
    struct block_graph graph;
    uint32_t next[BLOCKS_MOST][2], pred_first[BLOCKS_MOST + 1], preds[2 * BLOCKS_MOST], entries[2];
};

/* Knuth's MMIX generator, its high bits. */
static uint32_t random_below(uint64_t *state, size_t most)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % most);
}

static void add_predecessors(struct graph_case *here)
{
    uint32_t filled = 0;
    for (uint32_t block = 0; block < here->graph.count; block++) {
        here->pred_first[block] = filled;
        for (uint32_t from = 0; from < here->graph.count; from++)
            for (int way = 0; way < 2; way++)
                if (here->next[from][way] == block)
                    here->preds[filled++] = from;
    }
    here->pred_first[here->graph.count] = filled;
    here->graph.next = here->next;
    here->graph.pred_first = here->pred_first;
    here->graph.preds = here->preds;
    here->graph.entries = here->entries;
}

static void mark_reached(const struct graph_case *here, uint32_t block, uint32_t without, bool *reached)
{
    if (block == BLOCK_NONE || block == without || reached[block])
        return;
    reached[block] = true;
    mark_reached(here, here->next[block][0], without, reached);
    mark_reached(here, here->next[block][1], without, reached);
}

/* By definition: b can't be reached once a is taken away. Entries: the given ones, then what is not reached so far. */
static bool dominates_by_definition(const struct graph_case *here, uint32_t a, uint32_t b)
{
    bool all[BLOCKS_MOST] = {false}, without_a[BLOCKS_MOST] = {false};
    for (size_t at = 0; at < here->graph.entry_count; at++) {
        mark_reached(here, here->entries[at], BLOCK_NONE, all);
        mark_reached(here, here->entries[at], a, without_a);
    }
    for (uint32_t block = 0; block < here->graph.count; block++)
        if (!all[block]) {
            mark_reached(here, block, BLOCK_NONE, all);
            mark_reached(here, block, a, without_a);
        }
    return a == b || !without_a[b];
}

Test(dominators, agree_with_their_definition_on_random_graphs)
{
    uint64_t random = 20261121;
    for (int trial = 0; trial < 1000; trial++) {
        struct graph_case here = {.graph = {.count = 1 + random_below(&random, BLOCKS_MOST)}};
        uint32_t density = random_below(&random, 4);
        for (uint32_t block = 0; block < here.graph.count; block++)
            for (int way = 0; way < 2; way++)
                here.next[block][way] = random_below(&random, 4) < density
                                            ? BLOCK_NONE
                                            : random_below(&random, here.graph.count);
        here.graph.entry_count = 1 + random_below(&random, 2);
        here.entries[1] = random_below(&random, here.graph.count);
        add_predecessors(&here);
        struct arena arena;
        arena_init(&arena);
        struct dominators found = dominators_find(&here.graph, &arena);
        for (uint32_t a = 0; a < here.graph.count; a++)
            for (uint32_t b = 0; b < here.graph.count; b++)
                cr_assert_eq(dominators_include(&found, a, b), dominates_by_definition(&here, a, b),
                             "trial %d: %u over %u", trial, a, b);
        arena_done(&arena);
    }
}
