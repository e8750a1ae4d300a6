/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/code/call_tree.h"
#include "base/vec.h"

/* The tree as text: "place:total[child child]". */
static void add_node(const struct call_tree *tree, uint32_t node, char *text, size_t size)
{
    size_t used = strlen(text);
    const struct call_node *items = tree->items;
    if (node != CALL_TREE_ROOT)
        snprintf(text + used, size - used, "%u:%lu", items[node].place, (unsigned long)items[node].total);
    if (items[node].first_child == CALL_NODE_NONE)
        return;
    used = strlen(text);
    snprintf(text + used, size - used, "[");
    for (uint32_t child = items[node].first_child; child != CALL_NODE_NONE; child = items[child].next_sibling) {
        if (child != items[node].first_child) {
            used = strlen(text);
            snprintf(text + used, size - used, " ");
        }
        add_node(tree, child, text, size);
    }
    used = strlen(text);
    snprintf(text + used, size - used, "]");
}

static const uint32_t main_a[] = {1, 2}, main_a_x[] = {1, 2, 4}, main_b[] = {1, 3}, recursion[] = {1, 2, 2, 2}, other[] = {9};

/* A trie of chains; ends: where each one does. */
static void trie_fill(struct call_trie *trie, uint32_t *ends)
{
    static const struct {
        const uint32_t *places;
        uint32_t count;
        uint64_t weight;
    } chains[] = {{main_b, 2, 5}, {main_a, 2, 7}, {other, 1, 1}, {recursion, 4, 6}, {main_a_x, 3, 3}};
    uint32_t root = call_trie_root(trie);
    for (uint32_t at = 0; at < array_count(chains); at++) {
        ends[at] = root;
        for (uint32_t place = 0; place < chains[at].count; place++)
            ends[at] = call_trie_step(trie, ends[at], chains[at].places[place], at);
        call_trie_end(trie, ends[at], chains[at].weight, 1);
    }
    call_trie_sum(trie);
}

static void tree_text(const struct call_trie *trie, const struct call_part *parts, size_t count, const struct call_tree_limits *limits, char *text,
                      size_t size, uint64_t total)
{
    struct call_tree tree;
    call_tree_build(&tree, trie, parts, count, 10, limits);
    text[0] = 0;
    add_node(&tree, CALL_TREE_ROOT, text, size);
    cr_expect_eq(tree.items[CALL_TREE_ROOT].total, total);
    call_tree_done(&tree);
}

Test(call_tree, heavier_branches_first_and_light_ones_not_at_all)
{
    static const struct {
        struct call_tree_limits limits;
        const char *text;
    } cases[] = {
        {{0, 0}, "[1:21[2:16[2:6[2:6] 4:3] 3:5] 9:1]"},
        {{4, 0}, "[1:21[2:16[2:6[2:6]] 3:5]]"},
        {{0, 0.3}, "[1:21[2:16[2:6[2:6] 4:3]]]"}, /* of what the parent passes on: 22, 21, 9, 6 */
        {{100, 0}, ""},
    };
    struct call_trie trie = {0};
    uint32_t ends[5];
    trie_fill(&trie, ends);
    const struct call_part parts[] = {{1, false}, {ends[2], false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        char text[200];
        tree_text(&trie, parts, array_count(parts), &cases[at].limits, text, sizeof(text), 22);
        cr_assert_str_eq(text, cases[at].text);
    }
    call_trie_done(&trie);
}

Test(call_tree, marked_chains_and_the_others_part_what_they_share)
{
    struct call_trie trie = {0};
    uint32_t ends[5];
    trie_fill(&trie, ends);
    cr_assert_eq(trie.nodes.items[1].height, 4);
    call_trie_mark(&trie, ends[1], 1, 7, 1);
    call_trie_mark(&trie, ends[3], 3, 6, 1);
    static const struct call_tree_limits limits = {0};
    char text[200];
    tree_text(&trie, &(struct call_part){1, true}, 1, &limits, text, sizeof(text), 13);
    cr_assert_str_eq(text, "[1:13[2:13[2:6[2:6]]]]");
    tree_text(&trie, &(struct call_part){1, false}, 1, &limits, text, sizeof(text), 8);
    cr_assert_str_eq(text, "[1:8[3:5 2:3[4:3]]]");
    /* the marked ones from their beginning, the others from place 2 on: merged where places agree */
    const struct call_part both[] = {{1, true}, {ends[1], false}};
    tree_text(&trie, both, 2, &limits, text, sizeof(text), 16);
    cr_assert_str_eq(text, "[1:13[2:13[2:6[2:6]]] 2:3[4:3]]");
    call_trie_unmark(&trie);
    tree_text(&trie, &(struct call_part){1, true}, 1, &limits, text, sizeof(text), 0);
    cr_assert_str_eq(text, "");
    call_trie_done(&trie);
}

Test(call_tree, of_nothing_is_a_root)
{
    struct call_tree tree;
    struct call_trie trie = {0};
    struct call_tree_limits limits = {0};
    call_tree_build(&tree, &trie, NULL, 0, 0, &limits);
    cr_assert_eq(tree.count, 1);
    cr_assert_eq(tree.items[CALL_TREE_ROOT].first_child, CALL_NODE_NONE);
    call_tree_done(&tree);
}
