/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ring SIZE [huge]: walks a shuffled ring of one node a line; each address is the load before. work = nodes visited. */
#include "../known.h"

struct node {
    struct node *next;
    uint64_t rest[7];
};

static KNOWN_STEP struct node *step(struct node *at, uint64_t count)
{
    KNOWN_AS_WRITTEN
    for (uint64_t i = 0; i < count; i++)
        at = at->next;
    return at;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t mask = known_size(&known, 0, 64u << 20) / sizeof(struct node) - 1;
    struct node *nodes = known_memory((mask + 1) * sizeof *nodes, known_pages(&known, 1)), *at = nodes;

    for (uint64_t i = 0; i <= mask; i++)
        nodes[i].next = &nodes[known_ring_next(i, mask)];
    while (known_goes_on(&known)) {
        at = step(at, 10000);
        known_add(&known, 10000);
    }
    KNOWN_KEEP(at);
    return known_end(&known);
}
