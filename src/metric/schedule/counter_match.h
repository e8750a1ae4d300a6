/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Can these events count at the same time, and on which counters?
 *
 * Exactly when every event can be given a counter of its own among those that it may use: a matching exists. A paired
 * event (AMD: more than 15 a cycle) takes an even counter and the one after it.
 * Does not support: the kernel's own order of trying, which may miss a matching for masks that overlap without one
 * holding the other; the kernel then says so when the group is opened.
 */
#ifndef PLUMB_METRIC_SCHEDULE_COUNTER_MATCH_H
#define PLUMB_METRIC_SCHEDULE_COUNTER_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COUNTER_MATCH_FIXED = 16, /* fixed counter n is bit 16 + n, general counter n is bit n */
    COUNTER_MATCH_MOST = 32
};

struct counter_wish {
    uint32_t counters; /* any of these */
    bool pair;
};

/*
 * ret_counters (may be NULL): the counter that each event gets, fixed ones first. False: they don't fit, or are over
 * 32.
 */
bool counter_match(const struct counter_wish *wishes, size_t count, unsigned *ret_counters);

#endif
