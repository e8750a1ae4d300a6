/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of a request's events, as bits; used by the schedule's own files only. Which events would one group count? */
#ifndef PLUMB_METRIC_SCHEDULE_EVENT_SET_H
#define PLUMB_METRIC_SCHEDULE_EVENT_SET_H

#include "metric/schedule/schedule.h"

enum { EVENT_SET_WORDS = SCHEDULE_EVENTS_MOST / 64 };

struct event_set {
    uint64_t words[EVENT_SET_WORDS];
};

static inline bool event_set_has(const struct event_set *set, uint32_t event)
{
    return set->words[event / 64] >> (event % 64) & 1;
}

static inline void event_set_add(struct event_set *set, uint32_t event)
{
    set->words[event / 64] |= UINT64_C(1) << (event % 64);
}

static inline struct event_set event_set_join(const struct event_set *a, const struct event_set *b)
{
    struct event_set join;
    for (size_t at = 0; at < EVENT_SET_WORDS; at++)
        join.words[at] = a->words[at] | b->words[at];
    return join;
}

static inline bool event_set_within(const struct event_set *inner, const struct event_set *outer)
{
    for (size_t at = 0; at < EVENT_SET_WORDS; at++)
        if (inner->words[at] & ~outer->words[at])
            return false;
    return true;
}

static inline size_t event_set_count(const struct event_set *set)
{
    size_t count = 0;
    for (size_t at = 0; at < EVENT_SET_WORDS; at++)
        count += (size_t)__builtin_popcountll(set->words[at]);
    return count;
}

static inline size_t event_set_shared(const struct event_set *a, const struct event_set *b)
{
    size_t count = 0;
    for (size_t at = 0; at < EVENT_SET_WORDS; at++)
        count += (size_t)__builtin_popcountll(a->words[at] & b->words[at]);
    return count;
}

/* The set's next event at or after `from`, or UINT32_MAX. */
static inline uint32_t event_set_next(const struct event_set *set, uint32_t from)
{
    for (uint32_t word = from / 64; word < EVENT_SET_WORDS; word++) {
        uint64_t bits = set->words[word] & (word == from / 64 ? UINT64_MAX << (from % 64) : UINT64_MAX);
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return UINT32_MAX;
}

#define event_set_each(set, event)                                                                                    \
    for (uint32_t event = event_set_next((set), 0); event != UINT32_MAX;                                              \
         event = event + 1 < SCHEDULE_EVENTS_MOST ? event_set_next((set), event + 1) : UINT32_MAX)

/* Whether the set can be one group; ret_counters (may be NULL) by the event's index. */
bool event_set_fits(const struct schedule_request *request, const struct event_set *set, unsigned *ret_counters);

/* What one PMU gives an event: its general and fixed counters that are ours, in counter_match's numbering. */
uint32_t event_counters(const struct schedule_request *request, uint32_t event);

#endif
