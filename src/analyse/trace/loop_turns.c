/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/trace/loop_turns.h"

#include <math.h>

enum {
    LOOPS_FOLLOWED = 64, /* in a burst, for their entries */
    ENTRIES_BOUND = 9,   /* fewer bound nothing from above */
};

void loop_turns_done(struct loop_turns *turns)
{
    hashmap_done(&turns->by_head);
    vec_done(&turns->loops);
}

static struct traced_loop *loop_at(struct loop_turns *turns, uint64_t head_ip)
{
    uint32_t id = hashmap_find(&turns->by_head, head_ip, NULL, NULL, NULL);
    if (id == HASHMAP_ABSENT) {
        id = (uint32_t)turns->loops.count;
        *vec_push(&turns->loops) = (struct traced_loop){.head_ip = head_ip, .last_ip = head_ip};
        hashmap_add(&turns->by_head, head_ip, id);
    }
    return &turns->loops.items[id];
}

static bool turns_back(const struct instruction *jump, uint64_t next)
{
    bool jumps = jump->class == INSTRUCTION_BRANCH || jump->class == INSTRUCTION_JUMP;
    return jumps && jump->has_target && jump->target == next && next <= jump->addr;
}

static bool holds(const struct traced_loop *loop, uint64_t ip)
{
    return ip >= loop->head_ip && ip <= loop->last_ip;
}

static void entries_count(struct traced_loop *loop, const struct instruction_trace *trace,
                          const struct instruction *decoded)
{
    for (size_t at = 1; at < trace->sequence.count; at++) {
        const struct instruction *before = &decoded[trace->sequence.items[at - 1]],
                                 *here = &decoded[trace->sequence.items[at]];
        loop->entries +=
            holds(loop, here->addr) && !holds(loop, before->addr) && before->class != INSTRUCTION_RETURN;
    }
}

void loop_turns_add(struct loop_turns *turns, const struct instruction_trace *trace, const struct instruction *decoded)
{
    size_t since = 0;
    for (size_t at = 0; at + 1 < trace->sequence.count; at++) {
        const struct instruction *here = &decoded[trace->sequence.items[at]];
        uint64_t next = decoded[trace->sequence.items[at + 1]].addr;
        if (!turns_back(here, next))
            continue;
        struct traced_loop *loop = loop_at(turns, next);
        loop->last_ip = here->addr > loop->last_ip ? here->addr : loop->last_ip;
        loop->turns++;
        loop->instructions += at + 1 - since;
        since = at + 1;
    }
    for (size_t at = 0; at < turns->loops.count && at < LOOPS_FOLLOWED; at++)
        entries_count(&turns->loops.items[at], trace, decoded);
}

const struct traced_loop *loop_turns_hottest(const struct loop_turns *turns)
{
    const struct traced_loop *best = NULL;
    for (size_t at = 0; at < turns->loops.count && at < LOOPS_FOLLOWED; at++)
        if (!best || turns->loops.items[at].instructions > best->instructions)
            best = &turns->loops.items[at];
    return best;
}

struct interval turns_per_entry(uint64_t turns, uint64_t entries)
{
    double count = (double)turns, met = (double)entries, spread = 2 * sqrt(met);
    if (!turns)
        return (struct interval){0};
    double low = count / (met + spread + 3), high = entries >= ENTRIES_BOUND ? count / (met - spread) : 0;
    return (struct interval){.known = true, .low = low, .mid = entries ? count / met : low, .high = high};
}
