/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Augmenting paths (Kuhn 1955) over counters as bits; paired events, which are few, are tried out. */
#include "metric/schedule/counter_match.h"

struct match {
    const struct counter_wish *wishes;
    size_t count;
    int owner[COUNTER_MATCH_MOST]; /* index of the event on a counter; -1: free */
    uint32_t blocked;              /* counters of paired events */
};

/* Give event a counter, moving others to further ones of theirs. */
static bool augment(struct match *match, size_t event, uint32_t *visited)
{
    uint32_t open = match->wishes[event].counters & ~match->blocked;
    while (open & ~*visited) {
        unsigned counter = 31u - (unsigned)__builtin_clz(open & ~*visited);
        *visited |= UINT32_C(1) << counter;
        if (match->owner[counter] < 0 || augment(match, (size_t)match->owner[counter], visited)) {
            match->owner[counter] = (int)event;
            return true;
        }
    }
    return false;
}

static bool match_singles(struct match *match)
{
    for (unsigned counter = 0; counter < COUNTER_MATCH_MOST; counter++)
        match->owner[counter] = -1;
    for (size_t event = 0; event < match->count; event++) {
        uint32_t visited = 0;
        if (!match->wishes[event].pair && !augment(match, event, &visited))
            return false;
    }
    return true;
}

static bool match_pairs(struct match *match, size_t event, unsigned *pair_counters)
{
    while (event < match->count && !match->wishes[event].pair)
        event++;
    if (event == match->count)
        return match_singles(match);
    for (unsigned counter = 0; counter + 1 < COUNTER_MATCH_FIXED; counter += 2) {
        uint32_t both = UINT32_C(3) << counter;
        if ((match->wishes[event].counters & both) != both || (match->blocked & both))
            continue;
        match->blocked |= both;
        pair_counters[event] = counter;
        if (match_pairs(match, event + 1, pair_counters))
            return true;
        match->blocked &= ~both;
    }
    return false;
}

bool counter_match(const struct counter_wish *wishes, size_t count, unsigned *ret_counters)
{
    struct match match = {.wishes = wishes, .count = count};
    unsigned pair_counters[COUNTER_MATCH_MOST];
    if (count > COUNTER_MATCH_MOST || !match_pairs(&match, 0, pair_counters))
        return false;
    for (size_t event = 0; ret_counters && event < count; event++)
        if (wishes[event].pair)
            ret_counters[event] = pair_counters[event];
    for (unsigned counter = 0; ret_counters && counter < COUNTER_MATCH_MOST; counter++)
        if (match.owner[counter] >= 0)
            ret_counters[match.owner[counter]] = counter;
    return true;
}
