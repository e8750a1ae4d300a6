/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/dominators.h"

/* Everything is indexed by the number that a depth-first walk gives; 0 is a root that leads to every entry. */
struct walk {
    size_t count;       /* numbers given, the root's included */
    uint32_t *block;    /* of a number */
    uint32_t *number;   /* of a block; BLOCK_NONE: not visited */
    uint32_t *parent;
    bool *is_entry;
    uint32_t *semi, *dominator;
    uint32_t *ancestor, *label;   /* the forest of what is linked so far */
    uint32_t *bucket, *in_bucket; /* first whose semidominator this is, and the next of them */
    uint32_t *path;
};

struct visit {
    uint32_t block, way;
};

static void number_block(struct walk *walk, uint32_t block, uint32_t parent)
{
    walk->number[block] = (uint32_t)walk->count;
    walk->block[walk->count] = block;
    walk->parent[walk->count++] = parent;
}

static void visit_from(struct walk *walk, const struct block_graph *graph, uint32_t entry, struct visit *stack)
{
    size_t depth = 0;
    if (walk->number[entry] != BLOCK_NONE)
        return;
    number_block(walk, entry, 0);
    stack[depth++] = (struct visit){entry, 0};
    while (depth) {
        struct visit *top = &stack[depth - 1];
        if (top->way == 2) {
            depth--;
            continue;
        }
        uint32_t next = graph->next[top->block][top->way++];
        if (next == BLOCK_NONE || walk->number[next] != BLOCK_NONE)
            continue;
        number_block(walk, next, walk->number[top->block]);
        stack[depth++] = (struct visit){next, 0};
    }
}

static void number_all(struct walk *walk, const struct block_graph *graph, struct arena *arena)
{
    struct visit *stack = arena_array(arena, struct visit, graph->count + 1);
    bool *enters = arena_array(arena, bool, graph->count + 1);
    for (size_t at = 0; at < graph->count; at++)
        walk->number[at] = BLOCK_NONE;
    walk->count = 1;
    for (size_t at = 0; at < graph->entry_count; at++) {
        enters[graph->entries[at]] = true;
        visit_from(walk, graph, graph->entries[at], stack);
    }
    for (uint32_t block = 0; block < graph->count; block++)
        if (walk->number[block] == BLOCK_NONE) {
            enters[block] = true;
            visit_from(walk, graph, block, stack);
        }
    for (size_t at = 1; at < walk->count; at++)
        walk->is_entry[at] = enters[walk->block[at]];
}

/* The number with the least semidominator on the linked path above; the path is shortened for the next time. */
static uint32_t least_above(struct walk *walk, uint32_t number)
{
    uint32_t *ancestor = walk->ancestor, *label = walk->label;
    size_t depth = 0;
    if (ancestor[number] == BLOCK_NONE)
        return number;
    for (uint32_t at = number; ancestor[ancestor[at]] != BLOCK_NONE; at = ancestor[at])
        walk->path[depth++] = at;
    while (depth) {
        uint32_t at = walk->path[--depth], above = ancestor[at];
        if (walk->semi[label[above]] < walk->semi[label[at]])
            label[at] = label[above];
        ancestor[at] = ancestor[above];
    }
    return label[number];
}

static uint32_t semidominator(struct walk *walk, const struct block_graph *graph, uint32_t number)
{
    uint32_t block = walk->block[number], semi = walk->is_entry[number] ? 0 : walk->parent[number];
    for (uint32_t pred = graph->pred_first[block]; pred < graph->pred_first[block + 1]; pred++) {
        uint32_t from = walk->semi[least_above(walk, walk->number[graph->preds[pred]])];
        semi = from < semi ? from : semi;
    }
    return semi;
}

static void find_all(struct walk *walk, const struct block_graph *graph)
{
    for (uint32_t at = 0; at < walk->count; at++) {
        walk->semi[at] = walk->label[at] = at;
        walk->ancestor[at] = walk->bucket[at] = BLOCK_NONE;
    }
    for (uint32_t at = (uint32_t)walk->count - 1; at > 0; at--) {
        uint32_t semi = semidominator(walk, graph, at), parent = walk->parent[at];
        walk->semi[at] = semi;
        walk->in_bucket[at] = walk->bucket[semi];
        walk->bucket[semi] = at;
        walk->ancestor[at] = parent;
        for (uint32_t of = walk->bucket[parent]; of != BLOCK_NONE; of = walk->in_bucket[of]) {
            uint32_t least = least_above(walk, of);
            walk->dominator[of] = walk->semi[least] < walk->semi[of] ? least : parent;
        }
        walk->bucket[parent] = BLOCK_NONE;
    }
    for (uint32_t at = 1; at < walk->count; at++)
        if (walk->dominator[at] != walk->semi[at])
            walk->dominator[at] = walk->dominator[walk->dominator[at]];
}

/* A dominator has a lower number than what it dominates: one pass up for the sizes, one down for the places. */
static void number_tree(const struct walk *walk, struct dominators *dominators, struct arena *arena)
{
    uint32_t *size = arena_array(arena, uint32_t, walk->count), *enter = arena_array(arena, uint32_t, walk->count);
    uint32_t *free_place = arena_array(arena, uint32_t, walk->count);
    for (size_t at = walk->count - 1; at > 0; at--)
        size[walk->dominator[at]] += ++size[at];
    free_place[0] = 1;
    for (size_t at = 1; at < walk->count; at++) {
        enter[at] = free_place[walk->dominator[at]];
        free_place[walk->dominator[at]] += size[at];
        free_place[at] = enter[at] + 1;
        dominators->enter[walk->block[at]] = enter[at];
        dominators->size[walk->block[at]] = size[at];
    }
}

struct dominators dominators_find(const struct block_graph *graph, struct arena *arena)
{
    struct dominators found = {.enter = arena_array(arena, uint32_t, graph->count + 1),
                               .size = arena_array(arena, uint32_t, graph->count + 1)};
    struct arena scratch;
    arena_init(&scratch);
    size_t most = graph->count + 1;
    struct walk walk = {.block = arena_array(&scratch, uint32_t, most), .number = arena_array(&scratch, uint32_t, most),
                        .parent = arena_array(&scratch, uint32_t, most), .is_entry = arena_array(&scratch, bool, most),
                        .semi = arena_array(&scratch, uint32_t, most),
                        .dominator = arena_array(&scratch, uint32_t, most),
                        .ancestor = arena_array(&scratch, uint32_t, most),
                        .label = arena_array(&scratch, uint32_t, most),
                        .bucket = arena_array(&scratch, uint32_t, most),
                        .in_bucket = arena_array(&scratch, uint32_t, most),
                        .path = arena_array(&scratch, uint32_t, most)};
    number_all(&walk, graph, &scratch);
    find_all(&walk, graph);
    number_tree(&walk, &found, &scratch);
    arena_done(&scratch);
    return found;
}

bool dominators_include(const struct dominators *dominators, uint32_t a, uint32_t b)
{
    return dominators->enter[b] - dominators->enter[a] < dominators->size[a];
}
