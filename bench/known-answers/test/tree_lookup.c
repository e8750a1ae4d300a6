/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in a balanced binary search tree whose nodes lie scattered in memory; the child is chosen without a branch.
 * Arguments: log2 of the number of nodes, 1 for pages of 2 MiB. */
#include "driver.h"

struct node { uint64_t key; struct node *child[2]; uint64_t value; };
static struct node *nodes;
static uint64_t count, seed = 3, total, levels;

APART static uint64_t run(uint64_t searches) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < searches; i++) {
        uint64_t key = random_next(&seed) & (count - 1);
        const struct node *node = nodes;
        for (uint64_t level = 1; level < levels; level++)
            node = node->child[key > node->key];
        found += node->value;
    }
    return found;
}

static uint64_t step(void) {
    total += run(512);
    return 512;
}

/* The tree is implicit: node k of a level-order numbering sits at a scattered place. */
static uint64_t place(uint64_t k) {
    return k == 1 ? 0 : (k * 0x5bd1e995u) & (count - 1);
}

int main(int argc, char **argv) {
    levels = argument(argc, argv, 2, 20);
    count = (uint64_t)1 << levels;
    nodes = memory_take((count + 1) * sizeof *nodes, argument(argc, argv, 3, 0));
    for (uint64_t level = 0; level < levels; level++) {
        uint64_t first = (uint64_t)1 << level, gap = count >> level;
        for (uint64_t k = first; k < 2 * first; k++) {
            struct node *node = &nodes[place(k)];
            node->key = (k - first) * gap + gap / 2;
            node->value = k;
            if (level + 1 < levels) {
                node->child[0] = &nodes[place(2 * k)];
                node->child[1] = &nodes[place(2 * k + 1)];
            }
        }
    }
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
