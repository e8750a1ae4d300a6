/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does each group of a schedule count beside something else that goes on: samples, and counters of another kind?
 *
 * One group has the counters at a time, for a slice; after all of them the others (a counter_set) have one, and the
 * next round goes in another order. Nothing is multiplexed by the kernel so, and what is sampled keeps its counter.
 * Slices grow with the time that has gone by: a short run has some for each group, a long one isn't disturbed often.
 * Who calls decides when: nothing here waits. Windows have the caller's clock.
 */
#ifndef PLUMB_CAPTURE_COUNTERS_TURN_COUNTERS_H
#define PLUMB_CAPTURE_COUNTERS_TURN_COUNTERS_H

#include "capture/counters/counter_set.h"
#include "capture/counters/pass_record.h"

struct turn_counters;

struct turn_request {
    const struct scheduled_counters_request *groups; /* turns: filled here */
    struct counter_set *others;                      /* opened in_turns; NULL: there are none */
    uint64_t seed;
};

/*
 * Strings and arrays of the request must outlive it. Errors: of scheduled_counters_open. Owner: the caller
 * (turn_counters_free).
 */
MUST_CHECK bool turn_counters_open(struct turn_counters **ret_turns, const struct turn_request *request,
                                   const struct kernel *kernel, const struct sysroot *root, struct error *err);
void turn_counters_free(struct turn_counters *turns); /* NULL is fine */

/* The first turn begins: the target is about to run, or does. */
void turn_counters_start(struct turn_counters *turns, uint64_t now_ns);
/* The next turn, when the present one is over. */
void turn_counters_tick(struct turn_counters *turns, uint64_t now_ns);
/* How long until then; 0: now. */
uint64_t turn_counters_left_ns(const struct turn_counters *turns, uint64_t now_ns);
/* The last turn ends. Owner of what was counted: arena. */
void turn_counters_finish(struct turn_counters *turns, uint64_t now_ns, const struct sysroot *root, struct arena *arena,
                          struct pass_record *ret_record);

#endif
