/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/call_trie.h"

void call_trie_done(struct call_trie *trie)
{
    vec_done(&trie->nodes);
    vec_done(&trie->sums);
    vec_done(&trie->marks);
    vec_done(&trie->marked);
    hashmap_done(&trie->children);
}

void call_trie_clear(struct call_trie *trie)
{
    trie->nodes.count = trie->sums.count = trie->marks.count = trie->marked.count = 0;
    hashmap_done(&trie->children);
}

static uint32_t node_add(struct call_trie *trie, uint32_t parent, uint32_t place, uint32_t met)
{
    uint32_t id = (uint32_t)trie->nodes.count;
    *vec_push(&trie->nodes) = (struct call_trie_node){
        .place = place, .parent = parent, .first_child = CALL_NODE_NONE, .next_sibling = CALL_NODE_NONE, .met = met, .row = CALL_NODE_NONE};
    *vec_push(&trie->sums) = (struct call_sums){0};
    if (parent == CALL_NODE_NONE)
        return id;
    trie->nodes.items[id].depth = trie->nodes.items[parent].depth + 1;
    trie->nodes.items[id].next_sibling = trie->nodes.items[parent].first_child;
    trie->nodes.items[parent].first_child = id;
    return id;
}

uint32_t call_trie_root(struct call_trie *trie)
{
    return node_add(trie, CALL_NODE_NONE, UINT32_MAX, UINT32_MAX);
}

uint32_t call_trie_step(struct call_trie *trie, uint32_t node, uint32_t place, uint32_t met)
{
    uint64_t key = hash_u64((uint64_t)node << 32 | place); /* one to one */
    uint32_t id = hashmap_find(&trie->children, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return id;
    id = node_add(trie, node, place, met);
    hashmap_add(&trie->children, key, id);
    return id;
}

void call_trie_end(struct call_trie *trie, uint32_t node, uint64_t weight, uint64_t samples)
{
    struct call_sums *sums = &trie->sums.items[node];
    sums->self += weight;
    sums->samples_self += samples;
}

void call_trie_sum(struct call_trie *trie)
{
    for (size_t at = trie->nodes.count; at-- > 0;) {
        struct call_trie_node *node = &trie->nodes.items[at];
        struct call_sums *sums = &trie->sums.items[at];
        sums->total += sums->self; /* its children's are there already */
        sums->samples_total += sums->samples_self;
        if (node->parent == CALL_NODE_NONE)
            continue;
        node->height++;
        struct call_trie_node *parent = &trie->nodes.items[node->parent];
        trie->sums.items[node->parent].total += sums->total;
        trie->sums.items[node->parent].samples_total += sums->samples_total;
        parent->height = parent->height > node->height ? parent->height : node->height;
    }
}

void call_trie_mark(struct call_trie *trie, uint32_t node, uint32_t met, uint64_t weight, uint64_t samples)
{
    while (trie->marks.count < trie->nodes.count)
        *vec_push(&trie->marks) = (struct call_mark){0};
    trie->marks.items[node].sums.self += weight;
    trie->marks.items[node].sums.samples_self += samples;
    for (; node != CALL_NODE_NONE; node = trie->nodes.items[node].parent) {
        struct call_mark *mark = &trie->marks.items[node];
        if (!mark->sums.samples_total) {
            mark->met = met;
            *vec_push(&trie->marked) = node;
        }
        mark->sums.total += weight;
        mark->sums.samples_total += samples;
    }
}

void call_trie_unmark(struct call_trie *trie)
{
    vec_for_each (&trie->marked, node)
        trie->marks.items[*node] = (struct call_mark){0};
    trie->marked.count = 0;
}
