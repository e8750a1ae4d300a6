/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain [array]: adds up the numbers of a linked list, whose nodes were allocated in another order than it has;
 * array: of an array. work = numbers. */
#include "../known.h"

struct node {
    struct node *next;
    uint64_t number;
    char name[16];
};

enum { COUNT = 1 << 22, PIECE = 1 << 13 };

static KNOWN_STEP uint64_t step(struct node **at, uint64_t count)
{
    struct node *node = *at;
    uint64_t sum = 0;

    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++) {
        sum += node->number;
        node = node->next;
    }
    *at = node;
    return sum;
}

static KNOWN_STEP uint64_t array_step(const struct node *nodes, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += nodes[i].number;
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool array = strcmp(known_word(&known, 0, "-"), "array") == 0;
    struct node *nodes = known_memory(COUNT * sizeof *nodes, KNOWN_HUGE_PAGES), *at = nodes;
    uint64_t from = 0;

    for (uint64_t i = 0; i < COUNT; i++) {
        nodes[i].number = i;
        nodes[i].next = &nodes[known_ring_next(i, COUNT - 1)];
    }
    while (known_goes_on(&known)) {
        KNOWN_KEEP(array ? array_step(nodes + from, PIECE) : step(&at, PIECE));
        from = (from + PIECE) % COUNT;
        known_add(&known, PIECE);
    }
    return known_end(&known);
}
