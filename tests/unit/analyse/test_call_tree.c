/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/profile/call_tree.h"
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

static struct call_chain chain(const uint32_t *places, uint32_t count, uint64_t weight)
{
    return (struct call_chain){.places = places, .count = count, .weight = weight, .samples = 1};
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
    for (size_t at = 0; at < array_count(cases); at++) {
        struct call_chain chains[] = {chain(main_b, 2, 5), chain(main_a, 2, 7), chain(other, 1, 1),
                                      chain(recursion, 4, 6), chain(main_a_x, 3, 3)};
        struct call_tree tree;
        call_tree_build(&tree, chains, array_count(chains), 10, &cases[at].limits);
        char text[200] = "";
        add_node(&tree, CALL_TREE_ROOT, text, sizeof(text));
        cr_assert_str_eq(text, cases[at].text);
        cr_assert_eq(tree.items[CALL_TREE_ROOT].total, 22);
        call_tree_done(&tree);
    }
}

Test(call_tree, of_nothing_is_a_root)
{
    struct call_tree tree;
    struct call_tree_limits limits = {0};
    call_tree_build(&tree, NULL, 0, 0, &limits);
    cr_assert_eq(tree.count, 1);
    cr_assert_eq(tree.items[CALL_TREE_ROOT].first_child, CALL_NODE_NONE);
    call_tree_done(&tree);
}
