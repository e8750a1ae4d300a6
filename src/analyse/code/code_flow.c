/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_flow.h"

#include "analyse/code/dominators.h"
#include "base/partition_point.h"

#include <stdlib.h>

enum {
    LOOP_BITS_MOST = 64 * 1024 * 1024 /* blocks * loops: beyond it loops are left out */
};

struct block {
    uint32_t first, last; /* rows */
};

struct graph {
    struct block *blocks;
    uint32_t (*next)[2]; /* successors: BLOCK_NONE */
    size_t count;
    uint32_t *block_of_row;
    uint32_t *pred_first, *preds; /* as struct block_graph has them */
    uint32_t *entries;
    size_t entry_count;
};

uint32_t code_flow_row(const struct instruction *rows, size_t row_count, uint64_t addr)
{
    size_t low = partition_point(rows, row_count, item->addr < addr);
    return low < row_count && rows[low].addr == addr ? (uint32_t)low : FLOW_NONE;
}

static uint32_t target_row(const struct instruction *rows, size_t row_count, size_t row)
{
    const struct instruction *instruction = &rows[row];
    bool jumps = instruction->has_target &&
                 (instruction->class == INSTRUCTION_BRANCH || instruction->class == INSTRUCTION_JUMP);
    return jumps ? code_flow_row(rows, row_count, instruction->target) : FLOW_NONE;
}

/* Which rows branch to which, sorted by target. */
static void find_branches(struct code_flow *flow, const struct instruction *rows, struct arena *arena)
{
    size_t count = flow->row_count;
    uint32_t *target = arena_array(arena, uint32_t, count + 1);
    flow->branch_first = arena_array(arena, uint32_t, count + 2);
    for (size_t row = 0; row < count; row++) {
        target[row] = target_row(rows, count, row);
        if (target[row] != FLOW_NONE)
            flow->branch_first[target[row] + 1]++;
        if (rows[row].class == INSTRUCTION_JUMP && !rows[row].has_target)
            flow->has_indirect_jumps = true;
    }
    for (size_t row = 0; row < count; row++)
        flow->branch_first[row + 1] += flow->branch_first[row];
    flow->branches = arena_array(arena, uint32_t, flow->branch_first[count] + 1);
    uint32_t *fill = arena_copy(arena, flow->branch_first, (count + 1) * sizeof(uint32_t));
    for (size_t row = 0; row < count; row++)
        if (target[row] != FLOW_NONE)
            flow->branches[fill[target[row]]++] = (uint32_t)row;
}

static void find_blocks(struct graph *graph, const struct code_flow *flow, const struct instruction *rows,
                        struct arena *arena)
{
    size_t count = flow->row_count;
    graph->blocks = arena_array(arena, struct block, count);
    graph->block_of_row = arena_array(arena, uint32_t, count);
    for (size_t row = 0; row < count; row++) {
        bool begins = row == 0 || rows[row - 1].ends_block || flow->branch_first[row + 1] > flow->branch_first[row];
        if (begins)
            graph->blocks[graph->count++] = (struct block){.first = (uint32_t)row};
        graph->blocks[graph->count - 1].last = (uint32_t)row;
        graph->block_of_row[row] = (uint32_t)(graph->count - 1);
    }
    graph->next = arena_alloc(arena, memory_product(graph->count, sizeof(*graph->next)));
    for (size_t at = 0; at < graph->count; at++) {
        uint32_t last = graph->blocks[at].last, target = target_row(rows, count, last);
        bool goes_on = rows[last].falls_through && last + 1 < count;
        graph->next[at][0] = goes_on ? graph->block_of_row[last + 1] : BLOCK_NONE;
        graph->next[at][1] = target != FLOW_NONE ? graph->block_of_row[target] : BLOCK_NONE;
    }
}

/* Padding behind a jump falls into the next block on paper only. */
static void cut_padding(struct graph *graph, const struct code_flow *flow, const struct instruction *rows)
{
    for (size_t at = 1; at < graph->count; at++) {
        const struct block *block = &graph->blocks[at];
        bool is_reached = rows[block->first - 1].falls_through ||
                          flow->branch_first[block->first + 1] > flow->branch_first[block->first];
        bool is_padding = !is_reached;
        for (uint32_t row = block->first; row <= block->last && is_padding; row++)
            is_padding = rows[row].class == INSTRUCTION_NOP || rows[row].class == INSTRUCTION_BAD;
        if (is_padding)
            graph->next[at][0] = graph->next[at][1] = BLOCK_NONE;
    }
}

static void find_predecessors(struct graph *graph, struct arena *arena)
{
    graph->pred_first = arena_array(arena, uint32_t, graph->count + 1);
    for (size_t at = 0; at < graph->count; at++)
        for (int way = 0; way < 2; way++)
            if (graph->next[at][way] != BLOCK_NONE)
                graph->pred_first[graph->next[at][way] + 1]++;
    graph->entries = arena_array(arena, uint32_t, graph->count);
    for (size_t at = 0; at < graph->count; at++)
        if (at == 0 || !graph->pred_first[at + 1])
            graph->entries[graph->entry_count++] = (uint32_t)at;
    for (size_t at = 0; at < graph->count; at++)
        graph->pred_first[at + 1] += graph->pred_first[at];
    graph->preds = arena_array(arena, uint32_t, graph->pred_first[graph->count] + 1);
    uint32_t *fill = arena_copy(arena, graph->pred_first, graph->count * sizeof(uint32_t));
    for (size_t at = 0; at < graph->count; at++)
        for (int way = 0; way < 2; way++)
            if (graph->next[at][way] != BLOCK_NONE)
                graph->preds[fill[graph->next[at][way]]++] = (uint32_t)at;
}

struct natural_loop {
    uint32_t head;     /* block */
    uint8_t *body;     /* by block */
    size_t block_count;
};

typedef vec(struct natural_loop) loop_list;

/* Add to the loop's body all blocks from which tail is reached without passing the head. */
static void grow_body(const struct graph *graph, struct natural_loop *loop, uint32_t tail, uint32_t *stack)
{
    size_t depth = 0;
    if (!loop->body[tail]) {
        loop->body[tail] = 1;
        loop->block_count++;
        stack[depth++] = tail;
    }
    while (depth) {
        uint32_t block = stack[--depth];
        for (uint32_t pred = graph->pred_first[block]; pred < graph->pred_first[block + 1]; pred++) {
            uint32_t from = graph->preds[pred];
            if (loop->body[from])
                continue;
            loop->body[from] = 1;
            loop->block_count++;
            stack[depth++] = from;
        }
    }
}

static void find_loops(const struct graph *graph, loop_list *loops, struct arena *arena)
{
    struct block_graph ways = {.count = graph->count, .next = graph->next, .pred_first = graph->pred_first,
                               .preds = graph->preds, .entries = graph->entries, .entry_count = graph->entry_count};
    struct dominators dominators = dominators_find(&ways, arena);
    uint32_t *stack = arena_array(arena, uint32_t, graph->count);
    for (uint32_t head = 0; head < graph->count; head++) {
        struct natural_loop loop = {.head = head};
        for (uint32_t pred = graph->pred_first[head]; pred < graph->pred_first[head + 1]; pred++) {
            uint32_t tail = graph->preds[pred];
            if (!dominators_include(&dominators, head, tail))
                continue;
            if (!loop.body) {
                if ((loops->count + 1) * graph->count > LOOP_BITS_MOST)
                    return;
                loop.body = arena_alloc(arena, graph->count);
                loop.body[head] = 1;
                loop.block_count = 1;
            }
            grow_body(graph, &loop, tail, stack);
        }
        if (loop.body)
            *vec_push(loops) = loop;
    }
}

static int loop_compare(const void *a, const void *b)
{
    const struct natural_loop *x = a, *y = b;
    if (x->block_count != y->block_count)
        return x->block_count > y->block_count ? -1 : 1;
    return (x->head > y->head) - (x->head < y->head);
}

/* Loops as ranges of rows, outer before inner; each row knows its innermost. */
static void describe_loops(struct code_flow *flow, const struct graph *graph, const loop_list *found,
                           struct arena *arena)
{
    flow->loops = arena_array(arena, struct flow_loop, found->count + 1);
    flow->loop_count = found->count;
    uint32_t *loop_of_block = arena_array(arena, uint32_t, graph->count);
    for (size_t at = 0; at < graph->count; at++)
        loop_of_block[at] = FLOW_NONE;
    for (size_t at = 0; at < found->count; at++) {
        const struct natural_loop *natural = &found->items[at];
        uint32_t parent = loop_of_block[natural->head];
        struct flow_loop loop = {.head = graph->blocks[natural->head].first, .first = UINT32_MAX, .parent = parent,
                                 .depth = parent == FLOW_NONE ? 1 : flow->loops[parent].depth + 1};
        for (size_t id = 0; id < graph->count; id++) {
            if (!natural->body[id])
                continue;
            const struct block *block = &graph->blocks[id];
            loop.first = block->first < loop.first ? block->first : loop.first;
            loop.last = block->last > loop.last ? block->last : loop.last;
            loop.row_count += block->last - block->first + 1;
            loop_of_block[id] = (uint32_t)at;
        }
        flow->loops[at] = loop;
    }
    for (size_t row = 0; row < flow->row_count; row++)
        flow->loop_of_row[row] = loop_of_block[graph->block_of_row[row]];
}

struct code_flow code_flow_of(const struct instruction *rows, size_t row_count, struct arena *arena)
{
    struct code_flow flow = {.row_count = row_count};
    struct graph graph = {0};
    struct arena scratch;
    loop_list found = {0};
    arena_init(&scratch);
    find_branches(&flow, rows, arena);
    flow.loop_of_row = arena_array(arena, uint32_t, row_count + 1);
    if (row_count) {
        find_blocks(&graph, &flow, rows, &scratch);
        cut_padding(&graph, &flow, rows);
        find_predecessors(&graph, &scratch);
        find_loops(&graph, &found, &scratch);
        if (found.count)
            qsort(found.items, found.count, sizeof(*found.items), loop_compare);
        describe_loops(&flow, &graph, &found, arena);
    }
    vec_done(&found);
    arena_done(&scratch);
    return flow;
}
