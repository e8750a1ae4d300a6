/* SPDX-License-Identifier: GPL-3.0-or-later */
/* turns: follows a ring through memory for a millisecond, then divides for a millisecond, and so on: by the clock, so
 * half and half for certain. work = turns. */
#include "../known.h"

struct node {
    struct node *next;
    uint64_t rest[7];
};

static KNOWN_STEP struct node *part_1(struct node *at, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        at = at->next;
    return at;
}

static KNOWN_STEP uint64_t part_2(uint64_t state, uint64_t divisor, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        state = (state + 0x7fffffffu) % divisor;
    return state;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t mask = known_size(&known, 0, 128u << 20) / sizeof(struct node) - 1, state = 1, divisor = 999983;
    struct node *nodes = known_memory((mask + 1) * sizeof *nodes, KNOWN_HUGE_PAGES), *at = nodes;

    KNOWN_HIDE(divisor);
    for (uint64_t i = 0; i <= mask; i++)
        nodes[i].next = &nodes[known_ring_next(i, mask)];
    while (known_goes_on(&known)) {
        for (double until = known_cpu_seconds() + 0.001; known_cpu_seconds() < until;)
            at = part_1(at, 500);
        for (double until = known_cpu_seconds() + 0.001; known_cpu_seconds() < until;)
            state = part_2(state, divisor, 5000);
        known_add(&known, 1);
    }
    KNOWN_KEEP(at);
    KNOWN_KEEP(state);
    return known_end(&known);
}
